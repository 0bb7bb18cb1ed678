"""What a study has stored: records, results, archives, and what is missing."""
