"""What secrets look like: one row for each public format, found by a keyword first.

Source: what vendors publish, and the formats that gitleaks v8.30 knows (``config/gitleaks.toml``
of github.com/gitleaks/gitleaks, MIT). Prefixes, lengths and alphabets are from there, the
expressions are custody's own. Left out is ``kubernetes-secret-yaml``, which spans lines.

A pattern's first group is the secret, or the whole match where it has none. Its keywords are
lower case; one of them stands in every text that the pattern can match, so that a line without
any costs no regular expression. Patterns stay within one line, but for keys in PEM, and match
no bare digest. In an example ``<n>`` stands for n letters and digits, ``<n:x>`` for n hex digits.
"""

from __future__ import annotations

from functools import cache
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

_EDGE = r"(?:(?<![A-Za-z0-9_])|(?<=[0-9;\[][mK])|(?<=\\[bfnrtv0])|(?<=%[0-9A-Fa-f]{2}))"
"""Where a word begins, also behind a colour, an escape such as ``\\n``, or an encoded character."""
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
_COOKIE = r"[A-Za-z0-9_.-]{1,64}=[^\s;\"'<>]{0,1000}"
_COOKIES = (
    rf"(?i){_EDGE}(?:set-)?cookie[\"']?[ \t]*:[ \t]*[\"']?(?=[^\r\n]{{8}})"
    rf"({_COOKIE}(?:;[ \t]*{_COOKIE}){{0,31}})"
)

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
    Pattern("cookie", ("cookie",), _COOKIES, "Cookie: session=<40>; theme=dark"),
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

_STOP = r"(?![A-Za-z0-9_+/=-])"
_A_UUID = "123e4567-e89b-12d3-a456-426614174000"
_UUID = "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"

_ROWS = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{16,255}", "ghp_<36>"),
    ("github-pat", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}", "github_pat_<22>_<59>"),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glffct- glimt- glagent- gloas- glsoat-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|ffct|imt|agent|oas|soat)-[A-Za-z0-9_=.-]{16,300}",
        "glpat-<20>",
    ),
    ("gitlab-runner", "gr1348941", r"GR1348941[A-Za-z0-9_-]{20,50}", "GR1348941<20>"),
    ("slack-token", "xox", r"(?:xoxe\.)?xox[abceoprs]-[A-Za-z0-9-]{10,250}",
     "xoxb-<12>-<12>-<24>"),
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
        "akia asia abia acca a3t",
        r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])",
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
    ("telegram-bot", ":a", r"[0-9]{5,16}:A[A-Za-z0-9_-]{34}" + _STOP, "123456789:AA<33>"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
     "shpat_<32:x>"),
    ("square-token", "sq0", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,60}", "sq0atp-<22>"),
    ("square-access-token", "eaaa", r"EAAA[A-Za-z0-9_-]{22,60}" + _STOP, "EAAA<60>"),
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
    ("fly-token", "fo1_ fm1a_ fm1r_ fm2_", r"(?:fo1_|fm1[ar]_|fm2_)[A-Za-z0-9+/=_-]{40,1500}",
     "fo1_<43>"),
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
    ("sourcegraph-token", "sgp_", r"sgp_(?:local_)?[a-fA-F0-9_]{40,80}", "sgp_<40:x>"),
    ("buildkite-token", "bkua_", r"bkua_[a-f0-9]{40}", "bkua_<40:x>"),
    ("circleci-token", "ccipat_ cciprj_",
     r"CCIP(?:AT|RJ)_[A-Za-z0-9_]{40,100}", "CCIPAT_<22>_<40:x>"),
    ("prefect-key", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36}", "pnu_<36>"),
    ("typeform-token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{40,80}", "tfp_<59>"),
    ("onepassword-key", "a3-",
     r"A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}" + _STOP,
     "A3-<6:u>-<11:u>-<5:u>-<5:u>-<5:u>"),
    ("adobe-secret", "p8e-", r"p8e-[A-Za-z0-9]{32}" + _STOP, "p8e-<32>"),
    ("alibaba-key-id", "ltai", r"LTAI[A-Za-z0-9]{20}" + _STOP, "LTAI<20>"),
    ("artifactory-reference", "cmvmd", r"cmVmd[A-Za-z0-9]{59}" + _STOP, "cmVmd<59>"),
    ("authress-key", ".acc_ .acc-",
     (r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}"
      r"\.[A-Za-z0-9+/_=-]{30,120}"), "sc_<8>.<5>.acc-<12>.<40>"),
    ("bedrock-key", "absk", r"ABSK[A-Za-z0-9+/]{109,269}={0,2}", "ABSK<128>=="),
    ("bedrock-session-key", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=_-]{28,2800}",
     "bedrock-api-key-<80>"),
    ("clickhouse-key", "4b1d", r"4b1d[A-Za-z0-9]{38}" + _STOP, "4b1d<38>"),
    ("clojars-token", "clojars_", r"(?i:CLOJARS_)[A-Za-z0-9]{60}", "CLOJARS_<60>"),
    ("cloudflare-origin-key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}",
     "v1.0-<24:x>-<146:x>"),
    ("defined-networking-key", "dnkey-", r"dnkey-[A-Za-z0-9=_-]{79}", "dnkey-<26>-<52>"),
    ("duffel-token", "duffel_", r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}", "duffel_live_<43>"),
    ("easypost-key", "ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}" + _STOP, "EZAK<54>"),
    ("facebook-token", "facebook", r"[0-9]{15,16}[|%][A-Za-z0-9_-]{27,40}" + _STOP,
     "facebook: 123456789012345|<27>"),
    ("facebook-page-token", "eaam eaac", r"EAA[MC][A-Za-z0-9]{100,600}", "EAAC<120>"),
    ("flutterwave-key", "flwseck_test- flwpubk_test-",
     r"FLW(?:SECK|PUBK)_TEST-[A-Ha-h0-9]{12,32}(?:-X)?", "FLWSECK_TEST-<32:x>-X"),
    ("frameio-token", "fio-u-", r"fio-u-[A-Za-z0-9_=-]{64}", "fio-u-<64>"),
    ("freemius-key", "secret_key",
     r"secret_key[\"'][ \t]{0,8}=>[ \t]{0,8}[\"'](sk_[^\s\"']{29})", "'secret_key' => 'sk_<29>'"),
    ("gitlab-session", "_gitlab_session", r"_gitlab_session=([0-9a-z]{32})",
     "_gitlab_session=<32:x>"),
    ("grafana-api-key", "eyjrijoi", r"eyJrIjoi[A-Za-z0-9]{70,400}={0,3}", "eyJrIjoi<80>=="),
    ("harness-key", "pat. sat.",
     r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", "pat.<22>.<24>.<20>"),
    ("infracost-key", "ico-", r"ico-[A-Za-z0-9]{32}" + _STOP, "ico-<32>"),
    ("intra42-secret", "s-s4t2", r"s-s4t2(?:ud|af)-[A-Fa-f0-9]{64}", "s-s4t2ud-<64:x>"),
    ("jwt-in-base64", "zxlk", rf"ZXlK[A-Za-z0-9/+_=-]{{60,{LONGEST}}}", "ZXlK<120>"),
    ("maxmind-key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk" + _STOP, "<6>_<29>_mmk"),
    ("teams-webhook", "webhook.office.com",
     r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,240})",
     "https://x.webhook.office.com/webhookb2/<36>@<36>/IncomingWebhook/<32>/<36>"),
    ("nuget-password", "password",
     r"(?i:add[ \t]{1,8}key=\\?\"(?:ClearText)?Password\\?\"[ \t]{1,8}value=\\?\")([^\"\\]{8,200})",
     '<add key="ClearTextPassword" value="<14>" />'),
    ("octopus-key", "api-", r"API-[A-Z0-9]{26}" + _STOP, "API-<26:u>"),
    ("openshift-token", "sha256~", r"sha256~[A-Za-z0-9_-]{43}" + _STOP, "sha256~<43>"),
    ("readme-key", "rdme_", r"rdme_[a-z0-9]{70}", "rdme_<70:l>"),
    ("scalingo-token", "tk-us-", r"tk-us-[A-Za-z0-9_-]{48}", "tk-us-<48>"),
    ("sendinblue-key", "xkeysib-", r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}", "xkeysib-<64:x>-<16>"),
    ("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", r"sm_[aps]at_[A-Za-z0-9]{16}", "sm_pat_<16>"),
    ("shippo-token", "shippo_", r"shippo_(?:live|test)_[a-fA-F0-9]{40}", "shippo_live_<40:x>"),
    ("sidekiq-license", "contribsys", (r"(?i:bundle_(?:enterprise|gems)__contribsys__com)"
     r"[\"']?[ \t]{0,3}[:=][ \t\"']{0,3}([a-f0-9]{8}:[a-f0-9]{8})"),
     "BUNDLE_GEMS__CONTRIBSYS__COM=<8:x>:<8:x>"),
    ("sidekiq-url", "contribsys", r"([a-f0-9]{8}:[a-f0-9]{8})@(?:gems|enterprise)\.contribsys\.com",
     "https://<8:x>:<8:x>@gems.contribsys.com/"),
    ("sonar-token", "squ_ sqp_ sqa_", r"sq[upa]_[A-Za-z0-9]{40}", "sqp_<40:x>"),
    ("vault-old-token", "s.", r"s\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}(?![A-Za-z0-9.])",
     "s.<24>"),
    ("dropbox-short-token", "sl.", r"sl\.[A-Za-z0-9=_-]{135,1500}", "sl.<135>"),
    ("mapbox-token", "pk.", r"pk\.[a-z0-9]{60}\.[a-z0-9]{22}", "pk.<60:l>.<22:l>"),
    ("plaid-token", "access-",
     rf"access-(?:sandbox|development|production)-{_UUID}", f"access-sandbox-{_A_UUID}"),
    ("twitter-token", "twitter", r"[0-9]{15,25}-[A-Za-z0-9]{20,40}" + _STOP,
     "twitter: 123456789012345678-<30>"),
    ("twitter-bearer", "aaaaaaaaaaaaaaaaaaaaaa", r"A{22}[A-Za-z0-9%]{80,100}" + _STOP,
     "AAAAAAAAAAAAAAAAAAAAAAB%3D<80>"),
    ("yandex-token", "t1.", r"t1\.[A-Za-z0-9_-]{4,400}={0,2}\.[A-Za-z0-9_-]{86}={0,2}",
     "t1.<100>.<86>"),
    ("yandex-key", "aqvn", r"AQVN[A-Za-z0-9_-]{35,38}" + _STOP, "AQVN<36>"),
    ("curl-user", "curl", (r"(?i:curl\b[^\n|;]{0,300}?[ \t](?:-u|--user)[= \t]{1,5})[\"']?"
     r"[^\s:\"']{1,100}:(?![$<{*\[])([^\s\"']{3,200})"), "curl -s -u admin:<10> https://h/"),
    ("request-header", "authorization: key: token:",
     (r"(?i:(?:-H|--header)[= \t]{0,5}[\"'](?:authorization|[a-z-]{0,30}(?:key|token)):[ \t]{0,5})"
     rf"(?:[A-Za-z]{{3,12}}[ \t])?(?!\[|\$)([A-Za-z0-9=~@.+/_-]{{8,{LONGEST}}})"),
     'curl -H "Authorization: <20>"'),
)  # fmt: skip

_ALPHABETS = {
    "x": "[a-f0-9]", "a": "[a-z0-9]", "w": "[a-z0-9=_-]", "k": "[a-z0-9/+=_-]", "d": "[0-9]",
}  # fmt: skip
_NAMED = """
adafruit w32; adobe x32; airtable a17; algolia a32; alibaba a30; asana d16 a32; atlassian a24;
confluence a24; jira a24; beamer w46; bitbucket a32 w64; bittrex a32; meraki x40;
cloudflare w40 x37; codecov a32; cohere a40; co_api_key a40; coinbase w64; confluent a16 a64;
contentful w43; datadog a40; discord x64 d18 w32; droneci a32; dropbox a15 w64; etsy a24;
facebook x32; fastly w32; finicity x32 a20; finnhub a20; flickr a32; freshbooks a64; gitter w40;
gocardless w45; heroku uuid; hubspot uuid; intercom w60; jfrog a73 a64; artifactory a73 a64;
bintray a73 a64; xray a73 a64; kraken k80-90; kucoin x24 uuid; launchdarkly w40; linear x32;
linkedin a14 a16; linked_in a14 a16; linked-in a14 a16; lob w40; looker a20 a24;
mailgun w39 w50; mattermost a26; messagebird a25 uuid; message_bird a25 uuid;
message-bird a25 uuid; netlify w40-46; newrelic a64; new_relic a64; new-relic a64; nytimes w32;
newyorktimes w32; new-york-times w32; okta w42; plaid a24 a30; privateai a32; private_ai a32;
private-ai a32; rapidapi w50; sendbird uuid x40; sentry x64; snyk uuid; sonar w40;
sourcegraph x40; squarespace uuid; sumo a14 a64; travis a22; twitch a30; twitter a45 a25 a50;
yandex w40; zendesk a40; administrator_login_password w8-20
"""
"""Services whose keys have no prefix: the name of each, and how long its keys are.

They count where they are given to a name that holds the service's, as in ``zendesk_key = …``;
``x`` is hex digits, ``a`` letters and digits, ``w`` those and ``=_-``, ``k`` those and ``/+``,
``d`` digits. A name that speaks of a digest as well has none.
"""
_DIGEST = r"(?![\w .-]{0,24}(?:sha[0-9_]|hash|digest|checksum|md5|commit|revision|etag|integrity))"


def _named(name: str, *shapes: str) -> Pattern:
    """Return how a service's keys are found that have nothing but its name beside them."""
    value = "|".join(map(_shape, shapes))
    assigned = r"[\w .-]{0,24}[\"']?[ \t]{0,3}(?:=>|:=|\?=|\|\||[:=,>])[ \t=\"'`]{0,5}"
    pattern = rf"(?i:(?<!b){name}{_DIGEST}{assigned}({value}))(?=[\s\"'`;,)\]}}\\&<]|$)"
    first = shapes[0].partition("-")[0]
    sample = _A_UUID if first == "uuid" else f"<{first[1:]}:{'n' if first[0] == 'd' else 'x'}>"
    return Pattern(f"{name}-credential", (name,), pattern, f'{name}_key = "{sample}"')


def _shape(shape: str) -> str:
    if shape == "uuid":
        return _UUID
    least, _, most = shape[1:].partition("-")
    return rf"(?=[^0-9\s\"']{{0,99}}[0-9]){_ALPHABETS[shape[0]]}{{{least},{most or least}}}"


VENDORS = tuple(
    Pattern(name, tuple(keywords.split()), f"{_EDGE}{pattern}", example)
    for name, keywords, pattern, example in _ROWS
)
"""Formats that a vendor has published."""
NAMED = tuple(_named(*row.split()) for row in _NAMED.split(";"))
"""Keys that are known by the name they are given to."""

HEAD = 3
"""Characters at the beginning of a keyword that it is looked for by."""
PATTERNS = (*VENDORS, *NAMED, *GENERIC)
BY_KEYWORD: dict[str, list[Pattern]] = {}
for _row in PATTERNS:
    for _keyword in _row.keywords:
        BY_KEYWORD.setdefault(_keyword, []).append(_row)


def triples(text: str) -> set[tuple[str, str, str]]:
    """Return every row of three characters in a text."""
    return set(zip(text, text[1:], text[2:], strict=False))


@cache
def all_triples() -> dict[str, set[tuple[str, str, str]]]:
    """Return those of every keyword: a text without one of them does not hold the keyword."""
    return {keyword: triples(keyword) for keyword in BY_KEYWORD}


SHORT = tuple(_keyword for _keyword in BY_KEYWORD if len(_keyword) < HEAD)
"""Keywords without a head."""
HEADS: dict[tuple[str, ...], list[str]] = {}
"""The others by what they begin with."""
for _keyword in BY_KEYWORD:
    if len(_keyword) >= HEAD:
        HEADS.setdefault(tuple(_keyword[:HEAD]), []).append(_keyword)
CHARACTERS = "".join(sorted(set().union(*BY_KEYWORD)))
"""What the keywords are written with: nor does a text without one of its characters hold it."""
