"""`python -m kaijuan.evaluation baseline | run NAME | run --dataset DIR | answers … | selfcheck`; `--engine` on the last three."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

from tqdm import tqdm

from kaijuan.collection import Collection
from kaijuan.errors import IndexMissing, KaijuanError
from kaijuan.evaluation import baseline_report, rgb, selfcheck
from kaijuan.evaluation.answers import evaluate_answers
from kaijuan.evaluation.answers_report import answer_lines, rgb_lines
from kaijuan.evaluation.datasets import index_dataset
from kaijuan.evaluation.offtopic import RefusalRate, refusal_rate
from kaijuan.evaluation.preview import preview
from kaijuan.evaluation.questions import Question, load_dataset, load_questions
from kaijuan.evaluation.report import preview_lines, refusal_lines, result_lines
from kaijuan.evaluation.run import evaluate
from kaijuan.retrieval.retrieve import Options
from kaijuan.retrieval.synonyms import read_synonyms
from kaijuan.settings import Settings, read_settings
from kaijuan.wiring import Services, load_services

_ENGINES = get_args(Settings.model_fields["engine"].annotation)
_ENGINE_HELP = "这一次用哪个搜索引擎，默认取 KAIJUAN_ENGINE"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; exit status 0 when it did what was asked (selfcheck: when all checks hold)."""
    options = _parser().parse_args(arguments)
    if options.output is not None and not options.output.absolute().parent.is_dir():
        print(f"输出目录 {options.output.parent} 不存在，请先建立或换一个 --output。", file=sys.stderr)
        return 2
    try:
        return int(options.command(options))
    except KaijuanError as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kaijuan.evaluation", description="评测。")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    baseline = commands.add_parser("baseline", help="关键词基线在 b01…b09 上的前三名")
    baseline.add_argument("--k1", type=float, default=1.2)
    baseline.add_argument("--b", type=float, default=0.75)
    baseline.add_argument("--threshold", type=float, help="拒答阈值，默认取 collection.toml")
    baseline.add_argument("--output", type=Path, default=Path("baseline.json"))
    baseline.set_defaults(command=_baseline)
    run = commands.add_parser("run", help="在标注问题上逐层评测检索")
    run.add_argument("name", nargs="?", metavar="NAME", help="集合名")
    run.add_argument("--dataset", type=Path, metavar="DIR", help="含 corpus.jsonl、queries.jsonl、qrels.tsv 的目录")
    run.add_argument(
        "--off-topic",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="用另一数据集的问题测拒答，可多次给出",
    )
    run.add_argument("--leg-size", type=_positive, help="每路取多少条")
    run.add_argument("--limit", type=_positive, help="只用前 N 个问题")
    run.add_argument(
        "--synonyms", type=Path, metavar="FILE", help="预览：改用这个同义词文件，与现在的比较（不保存，不评各层）"
    )
    run.add_argument("--engine", choices=_ENGINES, help=_ENGINE_HELP)
    run.add_argument("--output", type=Path, help="结果 JSON，默认 evaluation-NAME.json")
    run.set_defaults(command=_run)
    answers = commands.add_parser("answers", help="逐题作答，核对拒答、引用和冲突")
    answers.add_argument("name", nargs="?", metavar="NAME", help="集合名")
    answers.add_argument("--dataset", type=Path, metavar="DIR", help="数据集目录；有 RGB 原题文件时一并评测")
    answers.add_argument("--limit", type=_positive, help="只用前 N 个问题")
    answers.add_argument("--engine", choices=_ENGINES, help=_ENGINE_HELP)
    answers.add_argument("--output", type=Path, help="结果 JSON，默认 answers-NAME.json")
    answers.set_defaults(command=_answers)
    check = commands.add_parser("selfcheck", help="B1–B5 五项自检")
    check.add_argument("--engine", choices=_ENGINES, help=_ENGINE_HELP)
    check.add_argument("--output", type=Path, default=Path("selfcheck.json"))
    check.set_defaults(command=_selfcheck)
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} 应为 1 或更大的数")
    return number


def _baseline(options: argparse.Namespace) -> int:
    collection = load_services().collection(baseline_report.COLLECTION)
    report = baseline_report.baseline_report(collection, options.k1, options.b, options.threshold)
    for line in baseline_report.baseline_lines(report):
        print(line)
    _write(options.output, report)
    return 0


def _run(options: argparse.Namespace) -> int:
    if (options.name is None) == (options.dataset is None):
        print("请给出一个集合名，或用 --dataset 给出一个数据集目录。", file=sys.stderr)
        return 2
    edited = read_synonyms(options.synonyms) if options.synonyms else None
    services = _services(options.engine)
    name, collection, questions, retrieval = _questions(services, options)
    if options.leg_size:
        retrieval = replace(retrieval, leg_size=options.leg_size)
    questions = questions[: options.limit] if options.limit else questions
    if options.synonyms:
        with _bar("预览", len(questions)) as step:
            seen = preview(collection, questions, services.stages, retrieval, edited, step)
        for line in preview_lines(name, seen):
            print(line)
        _write(options.output or Path(f"synonyms-{name}.json"), seen.to_json())
        return 0
    with _bar("评测", len(questions)) as step:
        result = evaluate(name, collection, questions, services.stages, retrieval, step)
    rates = _refusals(services, options, name, collection, questions, retrieval)
    for line in (*result_lines(result), *refusal_lines(rates)):
        print(line)
    stored = {**result.to_json(), "options": retrieval.as_json(), "refusals": [asdict(rate) for rate in rates]}
    _write(options.output or Path(f"evaluation-{name}.json"), stored)
    return 0


def _answers(options: argparse.Namespace) -> int:
    if (options.name is None) == (options.dataset is None):
        print("请给出一个集合名，或用 --dataset 给出一个数据集目录。", file=sys.stderr)
        return 2
    services = _services(options.engine)
    name, collection, questions, retrieval = _questions(services, options)
    questions = questions[: options.limit] if options.limit else questions
    answering = services.answering(retrieval)
    with _bar("作答", len(questions)) as step:
        figures = evaluate_answers(questions, collection, answering, step)
    lines = [*answer_lines(name, figures)]
    stored: dict[str, Any] = {"answers": figures.to_json(), "answerer": services.settings.answerer}
    if options.dataset and all((options.dataset / file).is_file() for file in rgb.FILES):
        tasks = rgb.load_tasks(options.dataset)[: options.limit]
        with _bar("RGB", len(tasks)) as step:
            native = rgb.evaluate_rgb(tasks, answering, services.settings.vector_cache, step)
        lines += rgb_lines(native)
        stored["rgb"] = native.to_json()
    for line in lines:
        print(line)
    _write(options.output or Path(f"answers-{name}.json"), stored)
    return 0


def _questions(services: Services, options: argparse.Namespace) -> tuple[str, str, tuple[Question, ...], Options]:
    if options.dataset is None:
        collection = _indexed(services, options.name)
        return collection.name, collection.name, load_questions(collection.questions_file), services.options(collection)
    dataset = load_dataset(options.dataset)
    with _bar("索引", len(dataset.chunks)) as step:
        name, embedded = index_dataset(
            dataset, services.engine, services.stages.embedder, services.settings.vector_cache, step
        )
    print(f"{dataset.name}：{len(dataset.chunks)} 段，新算向量 {embedded} 个")
    return dataset.name, name, dataset.questions, services.dataset_options()


def _refusals(
    services: Services,
    options: argparse.Namespace,
    name: str,
    collection: str,
    questions: Sequence[Question],
    retrieval: Options,
) -> list[RefusalRate]:
    """Refusals of the set's own questions and of the foreign ones; only asked for with --off-topic or a collection."""
    sets = [(f"{name} 有答案的问题", [q for q in questions if q.gold])]
    if any(not q.gold for q in questions):
        sets.append((f"{name} 无答案的问题", [q for q in questions if not q.gold]))
    sets += [(f"{folder.name} 的问题（外来）", list(load_dataset(folder).questions)) for folder in options.off_topic]
    rates = []
    for label, asked in sets:
        with _bar(label, len(asked)) as step:
            rates.append(refusal_rate(label, asked, collection, services.stages, retrieval, step))
    return rates


def _selfcheck(options: argparse.Namespace) -> int:
    services = _services(options.engine)
    collection = _indexed(services, selfcheck.COLLECTION)
    checks = selfcheck.run_checks(collection, services.stages, services.options(collection))
    for line in selfcheck.check_lines(checks):
        print(line)
    _write(options.output, {"checks": [asdict(check) for check in checks]})
    return 0 if all(check.holds for check in checks) else 1


def _services(engine: str | None) -> Services:
    """The services, on this engine where one is given."""
    settings = read_settings()
    return load_services(settings.model_copy(update={"engine": engine}) if engine else settings)


def _indexed(services: Services, name: str) -> Collection:
    """A collection that the engine of this run has a build of; raises IndexMissing with the command for this engine."""
    collection = services.collection(name)
    try:
        services.engine.meta(name)
    except IndexMissing as error:
        raise IndexMissing(
            f"集合 {name} 在搜索引擎 {services.engine.name} 里尚未建立索引，"
            f"请先运行 KAIJUAN_ENGINE={services.engine.name} python -m ingest {name}。"
        ) from error
    return collection


@contextmanager
def _bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    with tqdm(total=total, desc=label, leave=False, disable=None) as bar:
        yield lambda count: bar.update(count) and None


def _write(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"写入 {path}")


if __name__ == "__main__":
    raise SystemExit(main())
