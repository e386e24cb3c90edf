"""The ingest command: `python -m ingest NAME… | --all`."""
