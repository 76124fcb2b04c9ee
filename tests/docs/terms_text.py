# SPDX-License-Identifier: BSD-2-Clause
"""The text of a file that reaches a user, in pieces: [(text, [line of each character])]."""
import io
import json
import re
import tokenize

# Strings side by side are one, a format macro between them included.
C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])+\'|\bPRI[a-zA-Z0-9]+|\s+|\w+|.', re.S)
ESCAPE = {"n": "\n", "t": " ", '"': '"', "\\": "\\"}


def piece(text, line):
    lines = []
    for char in text:
        lines.append(line)
        line += char == "\n"
    return text, lines


def literal(token):
    return re.sub(r"\\(.)", lambda m: ESCAPE.get(m[1], " "), token[1:-1])


def bare_comment(token):
    """The words of a comment; as many lines as it has."""
    return re.sub(r"(?m)^[ \t]*\*(?!/)|^/\*+|\*/$|^//", "", token)


def c_text(source, comments=False):
    """Literals; a single name is a key or an identifier and no text. With comments: those, too."""
    source = re.sub(r"(?m)^[ \t]*#[ \t]*include.*", "", source)
    pieces, text, lines, line = [], "", [], 1

    def end():
        nonlocal text, lines
        if not re.fullmatch(r"[\w./:-]*", text):
            pieces.append((text, lines))
        text, lines = "", []
    for match in C_TOKEN.finditer(source):
        token = match[0]
        if token[0] == '"':
            words = literal(token)
            text, lines = text + words, lines + [line] * len(words)
        elif token.startswith(("/*", "//")):
            if comments:
                pieces.append(piece(bare_comment(token), line))
        elif token.startswith("PRI") and text:
            text, lines = text + "N", lines + [line]
        elif not token.isspace():
            end()
        line += token.count("\n")
    end()
    return pieces


def python_text(source, comments=False):
    """Strings; single words are keys, as in C."""
    kinds = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)} | ({tokenize.COMMENT} if comments else set())
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [piece(token.string.strip("\"'#"), token.start[0]) for token in tokens
            if token.type in kinds and " " in token.string]


def script_text(source, comments=False):
    """Shell, meson: all but comments."""
    return [piece(source if comments else re.sub(r"(?m)(^|\s)#.*", r"\1", source), 1)]


def prose_text(source, _=False):
    """Markdown, the manual page: all, code blocks too; emphasis and macros left out."""
    text, lines = piece(re.sub(r"(?m)^\.[A-Z][a-z]\b", "", source), 1)
    kept = [(c, n) for c, n in zip(text, lines) if c not in "*`"]
    return [("".join(c for c, _ in kept), [n for _, n in kept])]


def schema_text(source, _=False):
    """Descriptions: keys are a contract."""
    return [piece(json.loads(f'"{m[1]}"'), source.count("\n", 0, m.start()) + 1)
            for m in re.finditer(r'"(?:description|title)":\s*"((?:\\.|[^"\\])*)"', source)]


def pieces(path, comments=False):
    """Of a file; None: not a file of text that is known here."""
    try:
        with open(path, encoding="utf-8") as file:
            source = file.read()
    except UnicodeDecodeError:
        return None
    first = source.split("\n", 1)[0]
    if re.search(r"\.[ch]$", path):
        return c_text(source, comments)
    if re.search(r"\.(md|1|svg)$", path) or path.endswith("scripts/packages"):
        return prose_text(source)
    if path.endswith(".schema.json"):
        return schema_text(source)
    if path.endswith(".py") or (first.startswith("#!") and "python" in first):
        return python_text(source, comments)
    if re.search(r"(\.sh|meson\.build|meson_options\.txt)$", path) or (first.startswith("#!") and "sh" in first):
        return script_text(source, comments)
    return None
