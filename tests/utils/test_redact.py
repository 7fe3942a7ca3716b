"""Secrets out, placeholders in, and back again. Every secret here is made up, and put together so that no scanner trips over it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.redact import placeholder_kind, redact, restore

A = "a1B2" * 20
HEX = "0a1b2c3d" * 8
KEY_BODY = "\n".join(["MIIBOgIBAAJBAK" + "example" * 7, "mpleexample=="])
PEM = "-----BEGIN RSA " + f"PRIVATE KEY-----\n{KEY_BODY}\n-----END RSA " + "PRIVATE KEY-----"

SECRETS: tuple[tuple[str, str, str], ...] = (
    ("AWS", 'k = "{}"', "AKIA" + "IOSFODNN7EXAMPLE"),
    ("Google", "k = '{}'", "AIza" + A[:35]),
    ("Google", "id: {}", "GOCSPX-" + A[:28]),
    ("Azure", 'c = "AccountName=a;AccountKey={}"', A[:66] + A[:20] + "=="),
    ("GitHub", 'k = "{}"', "ghp_" + A[:36]),
    ("GitHub", "git clone https://{}@github.com/a/b", "github_pat_" + A[:22] + "_" + A[:59]),
    ("GitLab", 'k = "{}"', "glpat-" + A[:20]),
    ("Atlassian", 'k = "{}"', "ATBB" + A[:32]),
    ("Slack", 'k = "{}"', "xoxb-" + "123456789012-" + A[:24]),
    ("Slack", 'post("https://hooks.slack.com/services/{}")', "T0001/B0002/" + A[:24]),
    ("Discord", 'k = "{}"', "MTIz" + A[:20] + ".abc-12." + A[:27]),
    ("Telegram", 'k = "{}"', "123456789:AA" + A[:33]),
    ("Stripe", 'k = "{}"', "sk_live_" + A[:24]),
    ("Twilio", 'k = "{}"', "SK" + HEX[:32]),
    ("mail", 'k = "{}"', "SG." + A[:22] + "." + A[:43]),
    ("registry", 'k = "{}"', "npm_" + A[:36]),
    ("registry", 'k = "{}"', "pypi-AgEIcHlwaS5vcmc" + A[:60]),
    ("model", 'k = "{}"', "sk-proj-" + A[:40]),
    ("model", 'k = "{}"', "sk-ant-api03-" + A[:60]),
    ("model", 'k = "{}"', "sk-" + HEX[:32]),
    ("model", 'k = "{}"', "hf_" + A[:34]),
    ("JSON Web", 'k = "{}"', "eyJhbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0." + A[:43]),
    ("URL", 'db = "postgresql://admin:{}@db.example.com/app"', "S3cr3t" + "Passw0rd"),
    ("URL", "DB=amqp://u:{}@10.0.0.1:5672", "pw" + "1234"),
    ("authorization", "curl -H 'Authorization: Bearer {}'", A[:40]),
    ("password", 'password = "{}"', "hunter" + "2"),
    ("password", 'const dbPassword = "{}";', "Tr0ub4" + "dor&3"),
    ("password", '{{"password": "{}"}}', "s3cr" + "3t!"),
    ("password", 'conn = "Server=a;User Id=sa;Password={};"', "Str0ng" + "!x"),
    ("secret", 'SECRET_KEY = "{}"', "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"),
    ("secret", 'api_key: str = "{}"', HEX[:24]),
    ("secret", 'String accessToken = "{}";', A[:24]),
    ("secret", 'token := "{}"', A[:24]),
    ("secret", 'char api_key[] = "{}";', A[:24]),
    ("secret", "'client_secret' => '{}',", A[:24]),
    ("secret", "export API_TOKEN={}", A[:24]),
    ("secret", "  api_key: {}", A[:24]),
    ("AWS", "aws_secret_access_key = {}", A[:40]),
    ("Google", 'k = "{}"', "1//0" + A[:60]),
    ("service", 'k = "{}"', "lsv2_pt_" + HEX[:32] + "_" + HEX[:10]),
    ("service", 'k = "{}"', HEX[:32] + "-us12"),
    ("authorization", 'h = {{"Authorization": "token {}"}}', HEX[:40]),
    ("URL", 'u = f"https://user:{}@' + '{{host}}/"', A[:14]),
    ("password", 'password = (\n    "{}"\n)', A[:14]),
    ("password", 'public string Password {{ get; set; }} = "{}";', A[:14]),
    ("secret", 'const TOKEN: &str = "{}";', A[:24]),
    ("secret", "config.secret_key_base = '{}'", HEX),
    ("secret", 'os.environ.setdefault("API_TOKEN", "{}")', A[:24]),
    ("secret", 'os.getenv("DB_PASSWORD", "{}")', A[:14]),
    ("secret", "define('DB_PASSWORD', '{}');", A[:16]),
    ("secret", 'config.setPassword("{}");', A[:14]),
    ("secret", '#define API_KEY "{}"', A[:24]),
    ("secret", "ENV API_TOKEN {}", A[:24]),
    ("secret", "deploy --api-key {} now", A[:24]),
    ("secret", 'u = "https://example.com/?access_token={}&page=2"', A[:24]),
    ("secret", "<password>{}</password>", A[:16]),
    ("secret", '<add key="ApiKey" value="{}"/>', A[:24]),
    ("secret", 'curl -H "X-Auth-Token: {}"', A[:24]),
    ("secret", "db.main.password={}", A[:16]),
    ("password", "CREATE USER app WITH PASSWORD '{}';", A[:16]),
    ("password", "curl -u admin:{} https://example.com", A[:16]),
    ("password", 'get(url, auth=("admin", "{}"))', A[:14]),
    ("password", "machine example.com login ann password {}", A[:14]),
)

PLAIN: tuple[str, ...] = (
    'password = ""',
    'password = "changeme"',
    'password = os.environ["PASSWORD"]',
    'password = getpass("Password: ")',
    'token = "<your token>"',
    'token = "xxxxxxxxxxxx"',
    'password = "***"',
    'api_key = "%s"',
    'password = f"{user}{salt}"',
    'token = "${TOKEN}"',
    'API_KEY = "YOUR_API_KEY_HERE_1234"',
    'SECRET_NAME = "prod/database/main1"',
    'token_url = "https://example.com/oauth2/token"',
    'password_field = "user_password_1"',
    'next_token = "abc123def456"',
    'token = r"[-!#$%&a-z0-9]+"',
    'labels = {"password": "Passwort"}',
    'type_map = {"secret": "V1SecretVolumeSource"}',
    'if password == "":',
    'url = "https://example.com:8080/path@2"',
    'url = "https://user:password@example.com"',
    'url = "https://user:{}@example.com".format(pw)',
    'text = "postgres://localhost:5432/app"',
    "password: str | None = None",
    "def f(token: str = 'abc') -> None: ...",
    'commit = "3f786850e387550fdab836ed7e6dc881de23001b"',
    'key = "sk-learn-is-not-a-key-at-all-really-it-is-not"',
    'id = "550e8400-e29b-41d4-a716-446655440000"',
    "SKIP = 1; AKIA = 2; ghp_x = 3",
    "background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA)",
    'raise ValueError("password: must have 8 characters")',
    'token = os.environ["TOKEN"]',
    'token = os.environ.get("API_TOKEN", "")',
    'password = os.getenv("DB_PASSWORD", default="changeme")',
    "password=get_password()",
    "token = tokens[0]",
    'label = tk.Label(root, text="password")',
    'form.add_field("password", "PasswordField")',
    'Column("api_key", "VARCHAR255")',
    'fields.get("token", "access_token_v2")',
    'parser.add_argument("--token", "-t", help="the token")',
    'parser.add_argument("--password-file", type=Path)',
    'subprocess.run(["tool", "--token", token])',
    'os.system("tool --password $PASSWORD")',
    "deploy --token ${{ secrets.DEPLOY_TOKEN }}",
    "curl -u $USER:$PASSWORD https://example.com",
    'requests.get(url, auth=("user", "password"))',
    "requests.get(url, auth=(user, password))",
    'requests.get(f"{base}?api_key={key}&page=2")',
    'headers = {"X-Api-Key": api_key, "X-Request-Id": request_id}',
    'headers["Authorization"] = f"Bearer {token}"',
    '#define TOKEN_MAX "128"',
    "#define PASSWORD_FIELD password_field_2",
    "<password>${db.password}</password>",
    '<input type="password" name="password" value="">',
    "CREATE USER app WITH PASSWORD :password;",
    "ALTER TABLE users ADD COLUMN password_hash TEXT;",
    "builder.password(config.password)",
    'user.set_password("changeme")',
    'assert verify_token("expired") is None',
    "self.token = next(self.tokens)",
    "for token in doc.tokens: yield token",
    'KEYWORDS = {"secret": 1, "token": 2}',
    'tokens = ["secret", "token", "password"]',
    "password: string;",
    "type Token struct { Kind TokenKind; Text string }",
    'const tokenPattern = "[A-Za-z_][A-Za-z0-9_]*";',
    "SECRET_KEY = env('SECRET_KEY')",
    'import { token2 } from "./tokens/token2.js"',
    "mysqldump -p database > backup.sql",
    'cache_key = f"user:{user_id}:v2"',
    "this.password=password2;",
    "db.password=${DB_PASSWORD}",
)


@pytest.mark.parametrize(("kind", "line", "value"), SECRETS)
def test_a_secret_is_taken_out_and_comes_back(kind: str, line: str, value: str) -> None:
    """The value is gone, the line is as long as before where that can be, and restoring gives the text back."""
    text = "x = 1\n" + line.format(value) + "\ny = 2"
    redacted = redact(text)

    assert value not in redacted.text
    assert redacted.count == 1
    assert kind in redacted.secrets[0].kind
    assert value not in repr(redacted)
    assert redacted.text.count("\n") == text.count("\n")
    assert len(redacted.text) == len(text) or len(value) < 11
    before = text[: text.index(value)].split("\n")
    assert placeholder_kind(redacted.text) == [(len(before), len(before[-1]) + 1, redacted.secrets[0].kind)]
    assert redact(redacted.text).text == redacted.text
    assert restore(redacted.text, redacted.secrets, redacted.text) == (text, 0)


@pytest.mark.parametrize("line", PLAIN)
def test_ordinary_code_is_left_alone(line: str) -> None:
    """Empty values, stand-ins, names, patterns, hashes: no secret."""
    assert redact(line + "\n").text == line + "\n"


def test_many_secrets_on_neighbouring_lines() -> None:
    """Two on a line, one over several lines, one on the last line without a newline: all, and each on its line."""
    text = (
        'KEY = "AKIA' + 'IOSFODNN7EXAMPLE"; SECRET = "wJalrXUtnFEMI/K7MDENG/' + 'bPxRfiCYEXAMPLEKEY"\n'
        f'PEM = """{PEM}"""\n' + 'TOKEN = "ghp_' + A[:36] + '"'
    )
    redacted = redact(text)

    assert [line for line, _, _ in placeholder_kind(redacted.text)] == [1, 1, 2, 6]
    assert redacted.text.count("\n") == text.count("\n")
    assert not any(part in redacted.text for part in ("IOSFODNN7", "wJalr", "MIIB", "mpleex", "a1B2"))
    assert restore(redacted.text, redacted.secrets, redacted.text) == (text, 0)


@pytest.mark.parametrize(
    "key", [PEM, PEM.replace("\n", "\\n"), "'" + PEM.replace("\n", "\\n' +\n  '") + "'", PEM.split("-----END", maxsplit=1)[0]]
)
def test_a_private_key_is_found_in_any_layout(key: str) -> None:
    """Over lines, with escaped newlines, as pieces of strings, or cut off: the base64 goes, the rest stays."""
    redacted = redact(f"k = {key}\n")

    assert "MIIB" not in redacted.text
    assert "BEGIN RSA" in redacted.text
    assert redacted.count == 1
    assert restore(redacted.text, redacted.secrets)[0] == f"k = {key}\n"


def test_a_paste_that_already_holds_a_placeholder_is_not_confused() -> None:
    """Its number is not used again, and what stood there stays."""
    text = 'note = "CMSECRET1PWxx"\npassword = "hunter' + '22222"\n'
    redacted = redact(text)

    assert redacted.secrets[0].placeholder.startswith("CMSECRET2PW")
    assert restore(redacted.text, redacted.secrets, redacted.text) == (text, 0)


LINE = 'password = "hunter' + '22222"\n'


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda text: text.replace("y = 2", "y = 3"), 0),
        (lambda text: text.replace("password = ", "    password = "), 0),
        (lambda text: text.replace('"\ny', '"  # a remark\ny'), 0),
        (lambda text: text + text.split("\n")[1], 2),
        (lambda text: text.replace("y = 2", "log(" + text.split('"')[1] + ")"), 2),
        (lambda text: text.replace("password", "print"), 1),
        (lambda text: "\n".join([*text.split("\n")[:1], *text.split("\n")[2:], *text.split("\n")[1:2]]), 1),
        (lambda text: text.replace("password = ", 'url = "http://198.51.100.7/?" + '), 1),
        (lambda text: "y = 2\n", 0),
    ],
)
def test_a_secret_goes_back_only_to_its_place(change: object, left: int) -> None:
    """Changed lines around it don't matter; a moved, renamed or copied placeholder stays and is counted."""
    assert callable(change)
    redacted = redact("x = 1\n" + LINE + "y = 2\nz = 3\n")
    changed = change(redacted.text)
    text, count = restore(changed, redacted.secrets, redacted.text)

    assert count == left
    assert ("hunter" in text) == (left == 0 and "CMSECRET" in changed)


@given(
    st.lists(
        st.one_of(st.sampled_from([line.format(value) for _, line, value in SECRETS]), st.text(alphabet="ab =\"'\n\\", max_size=12)),
        max_size=8,
    )
)
def test_every_text_comes_back(lines: list[str]) -> None:
    """Redact, then restore: the same text. Redacting twice changes nothing. Lines stay lines."""
    text = "\n".join(lines)
    redacted = redact(text)

    assert restore(redacted.text, redacted.secrets, redacted.text) == (text, 0)
    assert redact(redacted.text).text == redacted.text
    assert redacted.text.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "password" * 40_000,
        "password = " * 30_000,
        'token = "' * 30_000,
        "a://b:" * 50_000,
        "eyJ" * 100_000,
        "eyJ" + "a" * 300_000,
        ("-----BEGIN RSA " + "PRIVATE KEY-----\n") * 8_000,
        "-----BEGIN " * 30_000,
        "Bearer " * 40_000,
        "server=" * 40_000,
        "M" * 300_000,
        "sk-" * 100_000,
        "xoxb-" * 60_000,
        " " * 300_000,
        'secret: "' + "\\" * 300_000,
        "api_key: " * 30_000,
        'get("password' * 23_000,
        "--token " * 37_000,
        "<password>" * 30_000,
        "curl -u a:" * 30_000,
        "create user password " * 14_000,
        "machine a login b " * 16_000,
        'name="token" value="' * 15_000,
        'session_token = "' * 17_000,
        "password =\n" * 30_000,
    ],
    ids=lambda text: repr(text[:16]),
)
def test_no_text_takes_long(text: str) -> None:
    """Every repetition in a pattern is bounded: 300 kB of the worst kind end (a quadratic pattern would take minutes)."""
    assert redact(text).text.count("\n") == text.count("\n")
