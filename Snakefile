# The study, for `snakemake` in this folder. The workflow itself is in workflow/Snakefile, where others look for it.
include: "workflow/Snakefile"


rule study:
    """The whole study with its report; an included file has no default target of its own."""
    default_target: True
    input:
        rules.all.input,
    localrule: True
