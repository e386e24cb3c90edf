"""Text as the product sees it: folded once for searching, shown always as written."""

from kaijuan.text.folding import clean, fold
from kaijuan.text.sentences import sentences
from kaijuan.text.tokens import (
    ANALYZER,
    Analysis,
    analyze,
    code_words,
    query_terms,
    seed_tokens,
    without_question_words,
)

__all__ = [
    "ANALYZER",
    "Analysis",
    "analyze",
    "clean",
    "code_words",
    "fold",
    "query_terms",
    "seed_tokens",
    "sentences",
    "without_question_words",
]
