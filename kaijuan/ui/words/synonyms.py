"""Sentences of the synonyms editor and of synonyms in a trace, in Chinese and in English."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "synonyms.title": ("同义词（{name}）", "Synonyms of {name}"),
    "synonyms.lead": (
        "每行一组意思相同的词，用逗号或顿号分开；“a => b”表示问到 a 时也查 b，反过来不查；“#”后面是注释。"
        "保存后下一个问题就生效，不用重建索引。",
        "One group of words with the same meaning a line, parted by commas; “a => b” lets a question's a search b too, "
        "not the other way; “#” begins a comment. Counts from the next question on, without reindexing.",
    ),
    "synonyms.text": ("synonyms.txt 的内容", "Content of synonyms.txt"),
    "synonyms.example": (
        "例如：\n邮费、运费、快递费\n口令 => 密码",
        "For example:\npostage, shipping fee\npasscode => password",
    ),
    "synonyms.preview": ("预览", "Preview"),
    "synonyms.save": ("保存", "Save"),
    "synonyms.reload": ("重新载入", "Load again"),
    "synonyms.running": ("正在预览：{done} / {total} 题", "Previewing: {done} of {total} questions"),
    "synonyms.preview_first": (
        "先预览这份内容，才能保存。",
        "Preview exactly this text before you save it.",
    ),
    "synonyms.unchanged": ("与磁盘上的内容相同，没有要保存的。", "The same as on disk: nothing to save."),
    "synonyms.changed_on_disk": (
        "synonyms.txt 在你打开之后已被改动，不能保存；请先重新载入，你在这里的修改会丢失，需要的请先复制。",
        "synonyms.txt has changed on disk since you opened it and cannot be saved; load it again. "
        "That drops your edits here: copy what you need first.",
    ),
    "synonyms.unlabelled": (
        "集合 {name} 没有标注的问题，无法预览指标；确认要保存时请勾选下面一项。",
        "Collection {name} has no labelled questions, so no figures can be previewed; tick below to save all the same.",
    ),
    "synonyms.counts": (
        "计分 {scored} 题，其中 {touched} 题的检索词因为这次修改而改变；索引版本 {version}。",
        "{scored} questions scored, {touched} of them searched by other words than now; build {version}.",
    ),
    "synonyms.is_worse": (
        "有指标变差；确认仍要保存时请勾选下面一项，会记录下来。",
        "A figure fell; tick below to save all the same, which is noted.",
    ),
    "synonyms.is_fine": ("没有指标变差。", "No figure fell."),
    "synonyms.anyway_worse": ("指标变差，仍要保存", "A figure fell: save all the same"),
    "synonyms.anyway_unmeasured": ("没有指标可看，仍要保存", "There are no figures: save all the same"),
    "synonyms.figures": ("指标：现在的同义词 → 修改后的同义词", "Figures: present synonyms → edited synonyms"),
    "synonyms.figure": ("指标", "Figure"),
    "synonyms.now": ("现在", "Now"),
    "synonyms.then": ("修改后", "Edited"),
    "synonyms.difference": ("差（百分点）", "Difference (points)"),
    "synonyms.changes": ("变好或变差的问题", "Questions that gained or lost"),
    "synonyms.no_changes": ("没有问题变好或变差。", "No question gained or lost."),
    "synonyms.outcome": ("结果", "Outcome"),
    "synonyms.better": ("▲ 变好", "▲ better"),
    "synonyms.worse": ("▼ 变差", "▼ worse"),
    "synonyms.question": ("问题", "Question"),
    "synonyms.id": ("编号", "Id"),
    "synonyms.added": ("加入的同义词", "Synonyms added"),
    "synonyms.saved": (
        "已保存同义词（{groups} 组），下一个问题起生效。",
        "Synonyms saved ({groups} groups); they count from now on.",
    ),
    "synonyms.saves": ("最近的保存", "Latest saves"),
    "synonyms.at": ("时间（UTC）", "Time (UTC)"),
    "synonyms.by": ("保存的人", "By"),
    "synonyms.local": ("服务器本机", "at the server"),
    "synonyms.groups": ("组数", "Groups"),
    "synonyms.note": ("说明", "Note"),
    "synonyms.note_worse": ("变差，仍然保存", "worse, saved all the same"),
    "synonyms.note_unmeasured": ("没有指标", "not measured"),
    "synonyms.note_fine": ("没有变差", "not worse"),
    "ledger.synonyms": ("加入的同义词", "Synonyms added"),
    "ledger.synonym": ("{word} → {added}", "{word} → {added}"),
}
