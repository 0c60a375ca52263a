"""Every rule of gitleaks v8.30 has a sample here, written by the rule's shape; each is found."""

from __future__ import annotations

import re
from itertools import cycle, islice

import pytest

from custody.checks.guards.secret_patterns import BY_KEYWORD, PATTERNS, all_triples
from custody.checks.guards.secrets import FEW, MANY, Redactor, _possible

ALPHABETS = {"x": "ab12cd34", "a": "ab12yz34", "w": "ab1_yz3-", "b": "A1b2C3d4", "d": "12345678",
             "u": "AB23CD45"}  # fmt: skip
UUID = "1a2b3c4d-1a2b-1a2b-1a2b-1a2b3c4d5e6f"
NOTHING_KNOWN = Redactor({})

PREFIXED = """
1password-secret-key A3-<u6>-<u11>-<u5>-<u5>-<u5>
1password-service-account-token ops_eyJ<b250>
adobe-client-secret p8e-<a32>
age-secret-key AGE-SECRET-KEY-1<u58>
airtable-personnal-access-token pat<b14>.<x64>
alibaba-access-key-id LTAI<a20>
anthropic-admin-api-key sk-ant-admin01-<w93>AA
anthropic-api-key sk-ant-api03-<w93>AA
artifactory-api-key AKCp<b69>
artifactory-reference-token cmVmd<b59>
authress-service-client-access-key sc_<a8>.<a5>.acc-<a12>.<a40>
aws-access-token AKIA<u16>
aws-amazon-bedrock-api-key-long-lived ABSK<b120>==
aws-amazon-bedrock-api-key-short-lived bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t
azure-ad-client-secret abc8Q~<b34>
clickhouse-cloud-api-secret-key 4b1d<b38>
clojars-api-token CLOJARS_<a60>
cloudflare-origin-ca-key v1.0-<x24>-<x146>
databricks-api-token dapi<x32>-2
defined-networking-api-token dnkey-<w26>-<w52>
digitalocean-access-token doo_v1_<x64>
digitalocean-pat dop_v1_<x64>
digitalocean-refresh-token dor_v1_<x64>
doppler-api-token dp.pt.<a43>
duffel-api-token duffel_test_<w43>
dynatrace-api-token dt0c01.<u24>.<u64>
easypost-api-token EZAK<a54>
easypost-test-api-token EZTK<a54>
facebook-page-access-token EAAM<a100>
flutterwave-encryption-key FLWSECK_TEST-<x12>
flutterwave-public-key FLWPUBK_TEST-<x32>-X
flutterwave-secret-key FLWSECK_TEST-<x32>-X
flyio-access-token fm1a_<b100>==
frameio-api-token fio-u-<w64>
gcp-api-key AIza<b35>
github-app-token ghu_<b36>
github-fine-grained-pat github_pat_<b82>
github-oauth gho_<b36>
github-pat ghp_<b36>
github-refresh-token ghr_<b36>
gitlab-cicd-job-token glcbt-<b3>_<b20>
gitlab-deploy-token gldt-<b20>
gitlab-feature-flag-client-token glffct-<b20>
gitlab-feed-token glft-<b20>
gitlab-incoming-mail-token glimt-<b25>
gitlab-kubernetes-agent-token glagent-<b50>
gitlab-oauth-app-secret gloas-<b64>
gitlab-pat glpat-<b20>
gitlab-pat-routable glpat-<b27>.01<a7>
gitlab-ptt glptt-<x40>
gitlab-rrt GR1348941<b20>
gitlab-runner-authentication-token glrt-<b20>
gitlab-runner-authentication-token-routable glrt-t1_<b27>.01<a7>
gitlab-scim-token glsoat-<b20>
grafana-api-key eyJrIjoi<b70>==
grafana-cloud-api-token glc_<b32>
grafana-service-account-token glsa_<b32>_<x8>
harness-api-key sat.<b22>.<b24>.<b20>
hashicorp-tf-api-token <a14>.atlasv1.<w60>
heroku-api-key-v2 HRKU-AA<b58>
huggingface-access-token hf_<b34>
huggingface-organization-api-token api_org_<b34>
infracost-api-token ico-<b32>
intra42-client-secret s-s4t2ud-<x64>
jwt eyJ<b20>.eyJ<b30>.<b43>
jwt-base64 ZXlKaGJHY2lPaU<b60>
linear-api-key lin_api_<a40>
mailgun-private-api-token key-<x32>
mailchimp-api-key <x32>-us12
mapbox-api-token pk.<a60>.<a22>
maxmind-license-key <b6>_<b29>_mmk
new-relic-browser-api-token NRJS-<x19>
new-relic-insert-key NRII-<a32>
new-relic-user-api-key NRAK-<a27>
notion-api-token ntn_12345678901<b35>
npm-access-token npm_<b36>
octopus-deploy-api-key API-<u26>
openai-api-key sk-proj-<b74>T3BlbkFJ<b74>
openshift-user-token sha256~<b43>
perplexity-api-key pplx-<b48>
planetscale-api-token pscale_tkn_<b43>
planetscale-oauth-token pscale_oauth_<b43>
planetscale-password pscale_pw_<b43>
postman-api-token PMAK-<x24>-<x34>
prefect-api-token pnu_<b36>
pulumi-api-token pul-<x40>
pypi-upload-token pypi-AgEIcHlwaS5vcmc<b60>
readme-api-token rdme_<a70>
rubygems-api-token rubygems_<x48>
scalingo-api-token tk-us-<b48>
sendgrid-api-token SG.<b22>.<b43>
sendinblue-api-token xkeysib-<x64>-<a16>
sentry-org-token sntrys_eyJpYXQiO<b20>LCJyZWdpb25fdXJs<b20>_<b43>
sentry-user-token sntryu_<x64>
settlemint-application-access-token sm_aat_<b16>
settlemint-personal-access-token sm_pat_<b16>
settlemint-service-access-token sm_sat_<b16>
shippo-api-token shippo_test_<x40>
shopify-access-token shpat_<x32>
shopify-custom-access-token shpca_<x32>
shopify-private-app-access-token shppa_<x32>
shopify-shared-secret shpss_<x32>
slack-app-token xapp-1-<u11>-<d13>-<x64>
slack-bot-token xoxb-<d12>-<d12>-<b24>
slack-config-access-token xoxe.xoxp-1-<u163>
slack-config-refresh-token xoxe-1-<u146>
slack-legacy-bot-token xoxb-<d12>-<b24>
slack-legacy-token xoxo-<d4>-<d4>-<d4>-<x8>
slack-legacy-workspace-token xoxa-2-<b20>
slack-user-token xoxp-<d12>-<d12>-<d12>-<x32>
sourcegraph-access-token sgp_local_<x40>
square-access-token EAAA<b40>
stripe-access-token rk_prod_<b24>
twilio-api-key SK<x32>
typeform-api-token tfp_<w59>
vault-batch-token hvb.<b138>
vault-service-token hvs.<b90>
vault-service-token-old s.<b24>
yandex-access-token t1.<b60>.<b86>
yandex-api-key AQVN<b36>
"""
NAMED = """
adafruit-api-key adafruit <w32>
adobe-client-id adobe <x32>
airtable-api-key airtable <a17>
algolia-api-key algolia <a32>
alibaba-secret-key alibaba <a30>
asana-client-id asana <d16>
asana-client-secret asana <a32>
atlassian-api-token jira <a20><x4>
beamer-api-token beamer b_<w44>
bitbucket-client-id bitbucket <a32>
bitbucket-client-secret bitbucket <w64>
bittrex-access-key bittrex <a32>
cisco-meraki-api-key meraki <x40>
cloudflare-api-key cloudflare <w40>
cloudflare-global-api-key cloudflare <x37>
codecov-access-token codecov <a32>
cohere-api-token cohere <b40>
coinbase-access-token coinbase <w64>
confluent-access-token confluent <a16>
confluent-secret-key confluent <a64>
contentful-delivery-api-token contentful <w43>
datadog-access-token datadog <a40>
discord-api-token discord <x64>
discord-client-id discord <d18>
discord-client-secret discord <w32>
droneci-access-token droneci <a32>
dropbox-api-token dropbox <a15>
dropbox-long-lived-api-token dropbox <a11>AAAAAAAAAA<w43>
dropbox-short-lived-api-token dropbox sl.<w135>
etsy-access-token etsy <a24>
facebook-access-token facebook <d15>|<a27>
facebook-secret facebook <x32>
fastly-api-token fastly <w32>
finicity-api-token finicity <x32>
finicity-client-secret finicity <a20>
finnhub-access-token finnhub <a20>
flickr-access-token flickr <a32>
freshbooks-access-token freshbooks <a64>
gitter-access-token gitter <w40>
gocardless-api-token gocardless live_<w40>
heroku-api-key heroku <uuid>
hubspot-api-key hubspot <uuid>
intercom-api-key intercom <w60>
jfrog-api-key artifactory <a73>
jfrog-identity-token jfrog <a64>
kraken-access-token kraken <b40>/+<b44>
kucoin-access-token kucoin <x24>
kucoin-secret-key kucoin <uuid>
launchdarkly-access-token launchdarkly <w40>
linear-client-secret linear <x32>
linkedin-client-id linkedin <a14>
linkedin-client-secret linked_in <a16>
lob-api-key lob live_<x35>
lob-pub-api-key lob test_pub_<x31>
looker-client-id looker <a20>
looker-client-secret looker <a24>
mailgun-pub-key mailgun pubkey-<x32>
mailgun-signing-key mailgun <x32>-<x8>-<x8>
mattermost-access-token mattermost <a26>
messagebird-api-token messagebird <a25>
messagebird-client-id message_bird <uuid>
netlify-access-token netlify <w43>
new-relic-user-api-id new_relic <a64>
nytimes-access-token nytimes <w32>
okta-access-token okta 00<w40>
plaid-api-token plaid access-sandbox-<uuid>
plaid-client-id plaid <a24>
plaid-secret-key plaid <a30>
privateai-api-token private_ai <a32>
rapidapi-access-token rapidapi <w50>
sendbird-access-id sendbird <uuid>
sendbird-access-token sendbird <x40>
sentry-access-token sentry <x64>
snyk-api-token snyk_api <uuid>
sonar-api-token sonar_login <w40>
squarespace-access-token squarespace <uuid>
sumologic-access-id sumo su<b12>
sumologic-access-token sumo <a64>
telegram-bot-api-token telegram <d9>:A<b34>
travisci-access-token travis <a22>
twitch-api-token twitch <a30>
twitter-access-secret twitter <a45>
twitter-access-token twitter <d18>-<b30>
twitter-api-key twitter <a25>
twitter-api-secret twitter <a50>
twitter-bearer-token twitter AAAAAAAAAAAAAAAAAAAAAA<b80>
yandex-aws-access-token yandex YC<w38>
zendesk-secret-key zendesk <a40>
"""
WHOLE = {
    "curl-auth-header": 'curl -H "Authorization: {}" https://h/',
    "curl-auth-header-key": "curl --header 'X-Api-Key: {}' https://h/",
    "curl-auth-user": "curl -s --user admin:{} https://h/",
    "freemius-secret-key": "'secret_key' => 'sk_{}',",
    "gitlab-session-cookie": "Cookie: _gitlab_session={}; a=b",
    "hashicorp-tf-password": 'administrator_login_password = "{}"',
    "microsoft-teams-webhook": "https://x.webhook.office.com/webhookb2/{0}@{0}/IncomingWebhook/a/b",
    "nuget-config-password": '<add key="ClearTextPassword" value="{}" />',
    "sidekiq-sensitive-url": "https://{0}:{0}@gems.contribsys.com/",
    "slack-webhook-url": "https://hooks.slack.com/services/{}",
}
SECRETS = {
    "freemius-secret-key": "<b29>", "hashicorp-tf-password": "<a12>",
    "gitlab-session-cookie": "<x32>", "sidekiq-sensitive-url": "<x8>",
    "microsoft-teams-webhook": "<a36>", "slack-webhook-url": "<b44>",
}  # fmt: skip


def filled(shape: str) -> str:
    """Return a sample of a shape."""

    def fill(match: re.Match[str]) -> str:
        return "".join(islice(cycle(ALPHABETS[match[1]]), int(match[2])))

    return re.sub(r"<([xawbdu])(\d+)>", fill, shape.replace("<uuid>", UUID))


def rows(table: str) -> list[list[str]]:
    return [line.split(" ") for line in table.strip().split("\n")]


@pytest.mark.req("G-12")
@pytest.mark.parametrize(("rule", "shape"), rows(PREFIXED), ids=lambda value: value[:20])
def test_what_has_a_prefix_is_found(rule: str, shape: str) -> None:
    secret = filled(shape)
    for around in ("{}", "x = '{}';", '{{"a": "{}"}}', "> {} <", "first\n{}\nlast"):
        left, count = NOTHING_KNOWN.redact(around.format(secret))
        assert (count, secret in left) == (1, False), rule


@pytest.mark.req("G-12")
@pytest.mark.parametrize(("rule", "name", "shape"), rows(NAMED), ids=lambda value: value[:20])
def test_what_has_only_a_name_beside_it_is_found(rule: str, name: str, shape: str) -> None:
    secret = filled(shape)
    for line in (
        f"{name} = {secret}", f'{name}Token := "{secret}"', f"{name}_api: '{secret}'",
        f'"{name}.value": "{secret}",', f"export {name.upper()}={secret}\nnext",
        f"{name}=>`{secret}`",
    ):  # fmt: skip
        left, count = NOTHING_KNOWN.redact(line)
        assert count, (rule, line)
        assert secret not in left, (rule, line)


@pytest.mark.req("G-12")
@pytest.mark.parametrize("rule", WHOLE)
def test_what_stands_in_a_known_place_is_found(rule: str) -> None:
    secret = filled(SECRETS.get(rule, "<b20>"))
    left, count = NOTHING_KNOWN.redact(WHOLE[rule].format(secret))
    assert count
    assert secret not in left


@pytest.mark.parametrize(
    "text",
    [
        "sentry-sdk-sha256: " + "ab12" * 16,
        "discord_digest = " + "ab12" * 16,
        "linear checksum: " + "ab12" * 8,
        "blob: " + "ab12" * 10,
        "sha512-EAAA" + "A1b2" * 21 + "==",
        "integrity sha256-EAAA" + "A1b2" * 10 + "=",
        "travis: see the documentation of it",
        "twitter: documentationofeverything",
        "jira: PROJ-1234",
        "commit 4b1d" + "ab12" * 9,
        "4b1d" + "ab12" * 15,
        "https://s.example.com/index.html",
        "curl -u admin:$PASSWORD https://h/",
        "curl -sSf https://example.com/x -o y:z",
        '-H "Accept: application/json"',
        "nodes/heroku/1.1/prompt.md",
    ],
)
def test_digests_ids_and_words_stay(text: str) -> None:
    assert NOTHING_KNOWN.redact(text) == (text, 0)


def test_a_long_text_is_searched_for_the_keywords_it_can_hold() -> None:
    filling = "nothing of note\n" * MANY
    assert all(needed <= {*zip(word, word[1:], word[2:], strict=False)}
               for word, needed in all_triples().items())  # fmt: skip
    for row in PATTERNS:
        assert all(word in BY_KEYWORD for word in row.keywords)
    for shape in ("ghp_<b36>", "zendesk_key = <a40>", "sha256~<b43>", "https://u:<b12>@h/"):
        assert NOTHING_KNOWN.redact(filling + filled(shape) + "\n" + filling)[1] == 1


@pytest.mark.parametrize("length", [0, FEW // 2, FEW, MANY])
def test_every_keyword_is_found_in_a_text_of_any_length(length: int) -> None:
    for word in BY_KEYWORD:
        text = " " * length + word + "!"
        assert word in _possible(text), "where a keyword is not looked for, no secret is found"
