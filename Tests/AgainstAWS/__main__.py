"""Makes a user pool, asks the questions, deletes the pool, and says what differs from what the product expects."""

from __future__ import annotations

import argparse
import datetime
import json
import signal
import sys
from pathlib import Path

from .pool import ENDINGS, CommandError, Pool, redacted
from .questions import NOT_ASKED, QUESTIONS, NotAskedError, Question, Run


def main() -> int:
    arguments = _parse()
    # Better now than after ten minutes.
    arguments.output.open("a").close()
    pool = Pool(arguments.region, arguments.endpoint_url, arguments.ca_bundle)

    def interrupt(*_: object) -> None:
        # Noted, too, since Python drops what a handler raises during callbacks, such as those of a fork.
        pool.interrupted = True
        raise KeyboardInterrupt

    for number in ENDINGS:
        signal.signal(number, interrupt)
    results: list[dict] = []
    status = 2
    try:
        print(f"Making the user pool {pool.name} in {pool.region}.", flush=True)
        pool.create()
        print(f"The user pool is {pool.id}. If this program is killed, delete the pool with")
        print(f"    {pool.command(*pool.undo[0])}\n", flush=True)
        run = Run(pool, [float(age) for age in arguments.stale_ages.split(",")], arguments.iam)
        run.prepare()
        for question in QUESTIONS:
            results.append(_asked(question, run))
            _show(results[-1])
        for question, needed in NOT_ASKED.items():
            _show({"question": question, "found": {}, "differences": [], "not_asked": f"needs {needed}"})
        status = 1 if any(result["differences"] for result in results) else 0
    except CommandError as error:
        print(f"This failed, so nothing more is asked: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
    finally:
        for number in ENDINGS:
            signal.signal(number, signal.SIG_IGN)
        whole = _clean_up(pool, arguments.keep)
    if results:
        _write(arguments.output, pool, results)
    return status if whole else 3


def _clean_up(pool: Pool, keep: bool) -> bool:
    """Deletes what was made, and says so; whether that was possible."""
    if keep and pool.undo:
        print("The user pool was kept. Delete it, and what belongs to it, with")
        print("\n".join(f"    {pool.command(*undo)}" for undo in reversed(pool.undo)))
    elif left := pool.delete():
        print("Not everything could be deleted. Delete this yourself:\n" + "\n".join(left), file=sys.stderr)
        return False
    elif pool.undo:
        print("The user pool, and what belongs to it, is deleted.")
    return True


def _parse() -> argparse.Namespace:
    # Tests/against-aws --help describes them.
    parser = argparse.ArgumentParser(prog="Tests/against-aws", add_help=False)
    parser.add_argument("--region", required=True)
    parser.add_argument("--output", type=Path, default=Path("against-aws.json"))
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--iam", action="store_true")
    parser.add_argument("--endpoint-url")
    parser.add_argument("--ca-bundle")
    parser.add_argument("--stale-ages", default="3,5,10,20,60,190")
    return parser.parse_args()


def _asked(question: Question, run: Run) -> dict:
    """What was found. An answer that the program cannot go on with is an answer, too."""
    run.pool.question = question.ask.__name__
    found, not_asked = {}, None
    try:
        for step, outcome in question.ask(run):
            if run.pool.interrupted:
                raise KeyboardInterrupt
            found[step] = redacted(str(outcome))
    except NotAskedError as error:
        not_asked = str(error)
    except Exception as error:
        found["stopped"] = redacted(f"{type(error).__name__}: {error}")
    differences = [
        step for step in found if step == "stopped" or question.expected.get(step, found[step]) != found[step]
    ]
    return {
        "name": run.pool.question,
        "question": question.text,
        "unknown": question.unknown,
        "expected": question.expected,
        "found": found,
        "differences": differences,
        "not_asked": not_asked,
    }


def _show(result: dict) -> None:
    print(("≠ " if result["differences"] else "- " if result["not_asked"] else "✓ ") + result["question"])
    for step, outcome in result["found"].items():
        print(f"    {step.replace('_', ' ')}: {outcome}")
        if step in result["differences"] and step != "stopped":
            print(f"      {'guessed' if result['unknown'] else 'expected'}: {result['expected'][step]}")
    if result["not_asked"]:
        print(f"    not asked: {result['not_asked']}")
    sys.stdout.flush()


def _write(path: Path, pool: Pool, results: list[dict]) -> None:
    date = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
    whole = {"source": pool.source, "date": date, "questions": results, "answers": pool.pairs}
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(pool.pairs)} requests with their answers, without names and secrets, are in {path}.")


if __name__ == "__main__":
    sys.exit(main())
