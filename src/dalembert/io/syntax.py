"""Messages in the syntax of model files and commands: what the package says in Python, for those who wrote a file."""

from __future__ import annotations

import re

from ..model.registry import FORCES, JOINTS
from ..options.verbs import VERBS

_COMMANDS = {name: verb.command for name, verb in VERBS.items() if verb.command}
_SECTIONS = {"body": "[bodies]", "particle": "[bodies]", "drive": "[drivers]", "start": "[start]", "measure": "[measures]", "state": "[states]", "table": "[tables]", "input": "[states]", "event": "[events]", "impact": "[impacts]", "open": "open = [...]", "guess": "[guess]",
             "parameter": "[parameters]", "set_parameter": "[parameters]", "constraint": "[holonomic]", "pfaffian": "[nonholonomic]"}  # fmt: skip
_DRIVE = re.compile(r"m\.drive\('([^']+)', '([^']+)', '([^']*)'\)")
_PARAMETER = re.compile(r"m\.parameter\('(\w+)', ([^)]*)\)")
_INPUT = re.compile(r"m\.input\('(\w+)'\)")
_OPEN = re.compile(r"m\.open\('([^']+)'\)")
_OPENED = re.compile(r"m\.open (it|them|the contacts)\b")
_METHOD = re.compile(r"\bm\.([a-z_]+)(\([^()]*\)|\b)")
_VERB = re.compile(rf"\bda\.({'|'.join(_COMMANDS)})\b(\([^()]*\))?")
_TRUE = re.compile(r"\b([a-z_]+)=True\b")
_LIST = re.compile(r"\b([a-z_]+)=(?=\[)")
_TUPLE = re.compile(r"\b([a-z_]+)=\(([^()]*)\)")
_KEY = re.compile(r"\b([a-z_]+)=(?=[\s,;.)]|$)")
_KEPT = re.compile(r"error\.result (?:holds|has) (?:the motion up to it|what was computed(?: until then)?)")


def in_file_syntax(text: str) -> str:
    """Text of a message with sections of a file in place of methods, and commands in place of verbs."""
    text = _DRIVE.sub(r'[drivers.\1] with on = "\2" and value = "\3"', text)
    text = _PARAMETER.sub(lambda found: f"{found[1]} = {found[2].replace('...', '1.0')} in [parameters]", text)
    text = _INPUT.sub(r"[states.\1] with rate = 0", text)
    text = _OPENED.sub(r"list \1 in open = [...]", _OPEN.sub(r'open = ["\1"]', text))
    text = _METHOD.sub(_section, text)
    text = _VERB.sub(lambda found: f"`dalembert {_COMMANDS[found[1]]}`", text)
    text = text.replace("give both ends:", "give both as between = [end, end]:")
    text = text.replace("(body, (x, y))", '["bar", [x, y]]').replace(
        "body.point(x, y)", '{ body = "bar", point = [x, y] }'
    )
    text = _TRUE.sub(r"\1 = true", text)
    text = _TUPLE.sub(r"\1 = [\2]", _LIST.sub(r"\1 = ", _KEY.sub(r"\1", text)))
    return _KEPT.sub("the motion up to there is kept", text)


def _section(found: re.Match[str]) -> str:
    """Place in a file of what a method makes; the text itself where there is none."""
    name = found[1]
    if name in JOINTS and name not in _SECTIONS:
        return f'a joint of type = "{name}" in [joints]'
    if name in FORCES:
        return f'an element of type = "{name}" in [forces]'
    return _SECTIONS.get(name, found[0])
