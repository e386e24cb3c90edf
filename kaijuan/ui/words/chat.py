"""Sentences around the answers of the chat page: conversations, thumbs, copying, handing over; Chinese and English."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "kept.meta": (
        "{at} UTC 的回答，取自记录；检索过程没有保留，需要时请再问一次",
        "Answered {at} UTC, from the records; ask again to see how it was found",
    ),
    "kept.conflicts": (
        "有 {count} 处，各处的说法请再问一次查看。",
        "{count} of them; ask again to see what each source says.",
    ),
    "talks.title": ("对话", "Conversations"),
    "talks.new": ("新对话", "New conversation"),
    "talks.none": ("还没有保存的对话。", "No conversation is kept yet."),
    "talks.manage": ("管理当前对话", "This conversation"),
    "talks.name": ("名称", "Name"),
    "talks.rename": ("改名", "Rename"),
    "talks.delete": ("删除", "Delete"),
    "talks.delete_sure": (
        "确定从列表里删除这段对话吗？删除后无法再打开。",
        "Delete this conversation from the list? It cannot be opened again.",
    ),
    "talks.address": (
        "对话凭本页网址找回：收藏它可以再来，把它转给别人就等于交出这些对话。",
        "The address of this page leads back to these conversations: keep it, and do not pass it on.",
    ),
    "thumbs.label": ("评价这条回答", "Rate this answer"),
    "thumbs.why": ("哪里不好？", "What is wrong?"),
    "thumbs.wrong": ("答案不对", "wrong answer"),
    "thumbs.beside": ("答非所问", "beside the question"),
    "thumbs.citation": ("引用不对", "wrong source"),
    "thumbs.outdated": ("内容过时", "outdated"),
    "thumbs.partial": ("不完整", "incomplete"),
    "thumbs.more": ("补充说明（可不填）", "Anything else (optional)"),
    "thumbs.send": ("提交原因", "Send"),
    "thumbs.noted": ("原因已记下。", "Noted."),
    "copy.label": ("复制", "Copy"),
    "copy.how": ("点右上角的图标复制。", "Press the icon at the upper right to copy."),
    "copy.cited": ("带引用", "With citations"),
    "copy.bare": ("不带引用", "Without citations"),
    "handover.label": ("转人工", "Ask a person"),
    "handover.about": ("转给人工的问题：{question}", "Question to hand over: {question}"),
    "handover.question": ("要转给人工的问题", "Question to hand over"),
    "handover.reason": ("原因或补充（可不填）", "Reason or details (optional)"),
    "handover.send": ("提交工单", "Open a ticket"),
    "handover.sends": (
        "问题、补全后的问题、最相关的片段和名次、原因以及这段对话会一并交给处理的人。",
        "The question, the best passages with their ranks, your reason and this conversation go with it.",
    ),
    "handover.blank": ("问题是空的，请写下要转给人工的问题。", "Write down the question to hand over first."),
    "handover.done": (
        "已转人工，工单编号 {ticket}；请凭编号向客服查询。",
        "Handed over as ticket {ticket}; quote it when you ask about it.",
    ),
}
