"""开卷 Kaijuan: open-book question answering in which every sentence points at the passage it rests on."""

__version__ = "0.1.0"
