"""What secrets look like: one row for each public format, found by a keyword first.

A pattern's first group is the secret, or the whole match where it has none. Its keywords are
lower case; one of them stands in every text that the pattern can match, so that a line without
any costs no regular expression. Patterns stay within one line, but for keys in PEM, and match
no bare digest. In an example ``<n>`` stands for n letters and digits, ``<n:x>`` for n hex digits.
"""

from __future__ import annotations

from typing import NamedTuple


class Pattern(NamedTuple):
    """One format of secrets."""

    name: str
    keywords: tuple[str, ...]
    pattern: str
    example: str
    several_lines: bool = False


LONGEST = 3000
"""Characters of the longest value that a pattern takes as one."""

_EDGE = r"(?<![A-Za-z0-9_])"
_WORDS = (
    r"(?:token|secret|password|passwd|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"credentials?)"
)
_WORD_KEYS = (
    "token", "secret", "password", "passwd", "passphrase", "api_key", "api-key", "apikey",
    "access_key", "access-key", "accesskey", "private_key", "private-key", "privatekey",
    "credential",
)  # fmt: skip
_MIXED = r"(?=[^\s\"']{0,64}[0-9])(?=[^\s\"']{0,64}[A-Za-z])"
_KEY_KIND = r"(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?"

GENERIC = (
    Pattern(
        "private-key",
        ("private key",),
        rf"-----BEGIN {_KEY_KIND}-----"
        rf"(?:(?:(?!-----BEGIN )[^\x00]){{0,16384}}?-----END {_KEY_KIND}-----|"
        r"(?:\s*[A-Za-z0-9+/=\\]{16,}={0,2})*)",
        "-----BEGIN RSA PRIVATE KEY-----\n<64>\n<20>==\n-----END RSA PRIVATE KEY-----",
        several_lines=True,
    ),
    Pattern(
        "bearer",
        ("bearer",),
        rf"(?i){_EDGE}bearer[ \t]+([A-Za-z0-9._~+/=-]{{8,{LONGEST}}})",
        "Authorization: Bearer <40>",
    ),
    Pattern(
        "authorization",
        ("authorization",),
        r"(?i)authorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:basic|token|apikey|digest)[ \t]+"
        rf"([A-Za-z0-9._~+/=-]{{8,{LONGEST}}})",
        "Authorization: Basic <24>==",
    ),
    Pattern(
        "url-password",
        ("://",),
        r"://[^\s/:@\"'<>]{0,256}:([^\s/@\"'<>]{1,512})@",
        "https://user:<16>@example.com/",
    ),
    Pattern(
        "url-parameter",
        ("=",),
        rf"(?i)[?&;#](?:[a-z0-9_.-]{{0,40}}{_WORDS}|key|sig|signature|code|auth)"
        rf"=([^\s&;#\"'<>\x00-\x1f]{{8,{LONGEST}}})",
        "https://example.com/?access_token=<12>",
    ),
    Pattern(
        "flag",
        _WORD_KEYS,
        rf"(?i)(?<![\w-])--?(?:[a-z0-9]{{1,20}}[-_]){{0,4}}{_WORDS}"
        rf"(?:=[\"']?([^\s\"'<>$]{{4,{LONGEST}}})|"
        rf"(?:[ \t]+[\"']?|[\"'],[ \t]*[\"']){_MIXED}([^\s\"'<>$-][^\s\"'<>$]{{5,{LONGEST}}}))",
        "curl --token <12>",
    ),
    Pattern(
        "assignment",
        _WORD_KEYS,
        rf"(?i){_WORDS}[\"']?[ \t]{{0,8}}[=:][ \t]{{0,8}}[\"']?"
        rf"{_MIXED}([A-Za-z0-9+/=_~.%!@#^*-]{{8,{LONGEST}}})(?![\w(\[])",
        'MY_API_KEY="<16>"',
    ),
    Pattern(
        "jwt",
        ("eyj",),
        rf"{_EDGE}eyJ[A-Za-z0-9_-]{{8,{LONGEST}}}\.eyJ[A-Za-z0-9_-]{{8,{LONGEST}}}"
        r"\.[A-Za-z0-9_-]{8,1024}",
        "eyJ<20>.eyJ<30>.<43>",
    ),
)
"""Forms that belong to no vendor."""

_ROWS = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{16,255}", "ghp_<36>"),
    ("github-pat", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}", "github_pat_<22>_<59>"),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_=.-]{16,300}",
        "glpat-<20>",
    ),
    ("gitlab-runner", "gr1348941", r"GR1348941[A-Za-z0-9_-]{20,50}", "GR1348941<20>"),
    ("slack-token", "xox", r"xox[abceoprs]-[A-Za-z0-9-]{10,250}", "xoxb-<12>-<12>-<24>"),
    ("slack-app", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{20,250}", "xapp-1-<11>-<13>-<64:x>"),
    (
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,100})",
        "hooks.slack.com/services/<9>/<9>/<24>",
    ),
    (
        "discord-webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_-]{30,120})",
        "discord.com/api/webhooks/123456789012345678/<68>",
    ),
    (
        "aws-access-key",
        "akia asia abia acca",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        "AKIAIOSFODNN7EXAMPLE",
    ),
    (
        "aws-secret-key",
        "aws",
        (r"(?i:aws[a-z0-9_ .-]{0,24}(?:secret|key)[a-z0-9_ .-]{0,24}[\"']?[ \t]*[:=][ \t]*[\"']?)"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
        "aws_secret_key = <40>",
    ),
    ("google-api-key", "aiza", r"AIza[A-Za-z0-9_-]{35}", "AIza<35>"),
    ("google-oauth", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,1000}", "ya29.<60>"),
    ("google-client-secret", "gocspx-", r"GOCSPX-[A-Za-z0-9_-]{20,60}", "GOCSPX-<28>"),
    ("google-refresh-token", "1//0", r"1//0[A-Za-z0-9_-]{30,200}", "1//0<40>"),
    (
        "sk-key",
        "sk-",
        r"sk-(?:(?:ant|proj|svcacct|admin|or|live|test|lf)-[A-Za-z0-9_.-]{3,300}|[A-Za-z0-9]{20,200})",
        "sk-proj-<48>",
    ),
    (
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_",
        r"[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,250}",
        "sk_live_<24>",
    ),
    ("webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,200}", "whsec_<32>"),
    ("huggingface-token", "hf_ api_org_", r"(?:hf_|api_org_)[A-Za-z0-9]{30,60}", "hf_<34>"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,60}", "npm_<36>"),
    ("pypi-token", "pypi-age", r"pypi-AgE[A-Za-z0-9_-]{40,1000}", "pypi-AgE<80>"),
    ("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{48}", "rubygems_<48:x>"),
    ("docker-token", "dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{20,60}", "dckr_pat_<27>"),
    (
        "digitalocean-token",
        "doo_v1_ dop_v1_ dor_v1_",
        r"do[opr]_v1_[a-f0-9]{64}",
        "dop_v1_<64:x>",
    ),
    ("heroku-key", "hrku-", r"HRKU-[A-Za-z0-9_-]{30,80}", "HRKU-<60>"),
    ("sendgrid-key", "sg.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}", "SG.<22>.<43>"),
    ("mailgun-key", "key-", r"key-[a-f0-9]{32}(?![A-Za-z0-9])", "key-<32:x>"),
    ("mailchimp-key", "-us", r"[a-f0-9]{32}-us[0-9]{1,2}(?![0-9])", "<32:x>-us12"),
    ("twilio-key", "sk", r"SK[a-f0-9]{32}(?![A-Za-z0-9])", "SK<32:x>"),
    ("telegram-bot", ":aa", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}", "123456789:AA<33>"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
     "shpat_<32:x>"),
    ("square-token", "sq0", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,60}", "sq0atp-<22>"),
    ("databricks-token", "dapi", r"dapi[a-f0-9]{32}(?:-[0-9])?", "dapi<32:x>"),
    ("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{20,300}", "hvs.<28>"),
    ("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,80}",
     "<14>.atlasv1.<64>"),
    ("atlassian-token", "atatt3 atctt3", r"AT[AC]TT3[A-Za-z0-9_=-]{50,400}", "ATATT3<180>"),
    ("bitbucket-password", "atbb", r"ATBB[A-Za-z0-9]{24,60}", "ATBB<32>"),
    ("linear-key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,80}", "lin_api_<40>"),
    ("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{40,60}", "ntn_<46>"),
    ("figma-token", "figd_", r"figd_[A-Za-z0-9_-]{38,60}", "figd_<40>"),
    ("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", "pat<14>.<64:x>"),
    ("grafana-token", "glc_ glsa_",
     r"(?:glc_[A-Za-z0-9+/=]{32,400}|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8})",
     "glsa_<32>_<8:x>"),
    ("newrelic-key", "nrak- nrjs- nrii-", r"NR(?:AK|JS|II)-[A-Za-z0-9_-]{19,40}", "NRAK-<27>"),
    ("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_]{40,400}", "sntryu_<64:x>"),
    ("pulumi-token", "pul-", r"pul-[a-f0-9]{40}(?![a-f0-9])", "pul-<40:x>"),
    ("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,80}",
     "pscale_tkn_<43>"),
    ("postman-key", "pmak-", r"PMAK-[a-fA-F0-9]{24}-[a-fA-F0-9]{34}", "PMAK-<24:x>-<34:x>"),
    ("doppler-token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,80}",
     "dp.pt.<43>"),
    ("dynatrace-token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}",
     "dt0c01.<24:u>.<64:u>"),
    ("fly-token", "fo1_ fm1r_ fm2_", r"(?:fo1_|fm1r_|fm2_)[A-Za-z0-9+/=_-]{40,1500}", "fo1_<43>"),
    ("netlify-token", "nfp_", r"nfp_[A-Za-z0-9]{36,60}", "nfp_<36>"),
    ("supabase-key", "sbp_ sb_secret_", r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60})",
     "sbp_<40:x>"),
    ("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,80}", "gsk_<52>"),
    ("xai-key", "xai-", r"xai-[A-Za-z0-9]{60,100}", "xai-<80>"),
    ("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,60}", "pplx-<48>"),
    ("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37}", "r8_<37>"),
    ("tavily-key", "tvly-", r"tvly-[A-Za-z0-9-]{20,60}", "tvly-<32>"),
    ("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}",
     "lsv2_pt_<32:x>_<10:x>"),
    ("nvidia-key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{50,100}", "nvapi-<64>"),
    ("age-key", "age-secret-key-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}", "AGE-SECRET-KEY-1<58:u>"),
    ("azure-account-key", "accountkey=", r"AccountKey=([A-Za-z0-9+/]{40,100}={0,2})",
     "AccountKey=<86>=="),
    ("azure-client-secret", "q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", "abc8Q~<34>"),
    ("onepassword-token", "ops_eyj", r"ops_eyJ[A-Za-z0-9+/=_-]{40,2000}", "ops_eyJ<200>"),
    ("artifactory-key", "akcp", r"AKCp[A-Za-z0-9]{60,80}", "AKCp<69>"),
    ("nuget-key", "oy2", r"oy2[a-z0-9]{43}(?![a-z0-9])", "oy2<43:l>"),
    ("sourcegraph-token", "sgp_", r"sgp_[a-fA-F0-9_]{40,80}", "sgp_<40:x>"),
    ("buildkite-token", "bkua_", r"bkua_[a-f0-9]{40}", "bkua_<40:x>"),
    ("circleci-token", "ccipat_ cciprj_",
     r"CCIP(?:AT|RJ)_[A-Za-z0-9_]{40,100}", "CCIPAT_<22>_<40:x>"),
    ("prefect-key", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36}", "pnu_<36>"),
    ("typeform-token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{40,80}", "tfp_<59>"),
)  # fmt: skip

VENDORS = tuple(
    Pattern(name, tuple(keywords.split()), f"{_EDGE}{pattern}", example)
    for name, keywords, pattern, example in _ROWS
)
"""Formats that a vendor has published."""

PATTERNS = (*VENDORS, *GENERIC)
BY_KEYWORD: dict[str, list[Pattern]] = {}
for _row in PATTERNS:
    for _keyword in _row.keywords:
        BY_KEYWORD.setdefault(_keyword, []).append(_row)
