# Short names for the scripts; everything works without make too.
.PHONY: setup run demo test check

setup:
	@scripts/setup

run:
	@scripts/run

demo:
	@scripts/demo

test:
	@scripts/test

check:
	@scripts/check
