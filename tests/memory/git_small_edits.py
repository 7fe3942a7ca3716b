"""Edits as small as a bug fix that mend nothing: a new default, one format more, the same in other words, a line of the log.

By their shape they can't be told from a fix: what is said of them has to do it, or they are learnt for one.
"""

from __future__ import annotations

Edits = dict[str, tuple[tuple[str, str], ...]]
"""By the kind: functions before and after; `{w}` stands for a word of the project."""

PYTHON_EDITS: Edits = {
    "tweak": (
        (
            "def limit_{w}(rows, most=50):\n    shown = rows[:most]\n    return shown\n",
            "def limit_{w}(rows, most=200):\n    shown = rows[:most]\n    return shown\n",
        ),
        (
            "def pause_{w}(attempt):\n    seconds = 2 * attempt\n    return seconds\n",
            "def pause_{w}(attempt):\n    seconds = 5 * attempt\n    return seconds\n",
        ),
    ),
    "enhance": (
        (
            "def accepts_{w}(name):\n    ending = name.rsplit('.')[-1]\n    return ending == 'yaml'\n",
            "def accepts_{w}(name):\n    ending = name.rsplit('.')[-1]\n    return ending in ('yaml', 'yml')\n",
        ),
        (
            "def shown_{w}(entry):\n    parts = [entry.name, entry.place]\n    return ' '.join(parts)\n",
            "def shown_{w}(entry):\n    parts = [entry.name, entry.place]\n    if entry.note:\n        parts.append(entry.note)\n"
            "    return ' '.join(parts)\n",
        ),
    ),
    "perf": (
        (
            "def shared_{w}(left, right):\n    found = [each for each in left if each in right]\n    return found\n",
            "def shared_{w}(left, right):\n    known = set(right)\n    found = [each for each in left if each in known]\n"
            "    return found\n",
        ),
        (
            "def count_{w}(rows):\n    chosen = [row for row in rows if row.open]\n    return len(chosen)\n",
            "def count_{w}(rows):\n    return sum(1 for row in rows if row.open)\n",
        ),
    ),
    "reword": (
        (
            "def label_{w}(entry):\n    text = '%s (%s)' % (entry.name, entry.number)\n    return text\n",
            "def label_{w}(entry):\n    return f'{entry.name} ({entry.number})'\n",
        ),
        (
            "def state_{w}(job):\n    if job.done:\n        result = 'done'\n    else:\n        result = 'open'\n    return result\n",
            "def state_{w}(job):\n    if job.done:\n        return 'done'\n    return 'open'\n",
        ),
    ),
    "log": (
        (
            "def load_{w}(store, log):\n    rows = store.rows()\n    return rows\n",
            "def load_{w}(store, log):\n    rows = store.rows()\n    log.info('read %d rows', len(rows))\n    return rows\n",
        ),
    ),
}
SCRIPT_EDITS: Edits = {
    "tweak": (
        (
            "function limit_{w}(rows) {\n  const most = 50;\n  return rows.slice(0, most);\n}\n",
            "function limit_{w}(rows) {\n  const most = 200;\n  return rows.slice(0, most);\n}\n",
        ),
    ),
    "enhance": (
        (
            "function accepts_{w}(name) {\n  return name.endsWith('.jpg');\n}\n",
            "function accepts_{w}(name) {\n  return name.endsWith('.jpg') || name.endsWith('.webp');\n}\n",
        ),
        (
            "function shown_{w}(entry) {\n  const parts = [entry.name];\n  return parts.join(' ');\n}\n",
            "function shown_{w}(entry) {\n  const parts = [entry.name];\n  if (entry.note) {\n    parts.push(entry.note);\n  }\n"
            "  return parts.join(' ');\n}\n",
        ),
    ),
    "perf": (
        (
            "function shared_{w}(left, right) {\n  return left.filter((each) => right.includes(each));\n}\n",
            "function shared_{w}(left, right) {\n  const known = new Set(right);\n  return left.filter((each) => known.has(each));\n}\n",
        ),
    ),
    "reword": (
        (
            "function label_{w}(entry) {\n  return entry.name + ' (' + entry.number + ')';\n}\n",
            "function label_{w}(entry) {\n  return `${entry.name} (${entry.number})`;\n}\n",
        ),
        (
            "function state_{w}(job) {\n  var result = 'open';\n  if (job.done) {\n    result = 'done';\n  }\n  return result;\n}\n",
            "function state_{w}(job) {\n  return job.done ? 'done' : 'open';\n}\n",
        ),
    ),
    "log": (
        (
            "function load_{w}(store) {\n  const rows = store.rows();\n  return rows;\n}\n",
            "function load_{w}(store) {\n  const rows = store.rows();\n  console.log('read', rows.length);\n  return rows;\n}\n",
        ),
    ),
}
