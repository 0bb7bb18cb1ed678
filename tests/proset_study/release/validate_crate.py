"""Print what the validator of RO-Crate finds in a folder; needs no network. Run by a Python that has roc-validator."""

import sys
from importlib.resources import files
from io import BytesIO

import requests
from rocrate_validator import models, services
from urllib3.response import HTTPResponse

CONTEXT = "https://w3id.org/ro/crate/1.3/context"


def send(_, request, **__):
    """The JSON-LD context as the package rocrate has it; nothing else is to be had."""
    response = requests.Response()
    response.status_code, response.url, response.request = 200 if request.url == CONTEXT else 404, request.url, request
    response.headers["Content-Type"] = "application/ld+json"
    content = BytesIO((files("rocrate") / "data/ro-crate.jsonld").read_bytes())
    response.raw = HTTPResponse(content, status=response.status_code, preload_content=False)
    return response


requests.adapters.HTTPAdapter.send = send
settings = services.ValidationSettings(
    rocrate_uri=sys.argv[1],
    profile_identifier="ro-crate-1.3",
    requirement_severity=models.Severity.RECOMMENDED,
    no_cache=True,
)
for issue in services.validate(settings).get_issues():
    print(issue.severity.name, issue.check.identifier, issue.message)
