# Short names for the scripts; everything works without make too.
.PHONY: setup run test check

setup:
	@scripts/setup

run:
	@scripts/run

test:
	@scripts/test

check:
	@scripts/check
