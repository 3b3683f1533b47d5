"""`scrubin label` without its page: people, assignment, progress, export, and what it refuses."""

from __future__ import annotations

import contextlib
import datetime
import json
import re
import subprocess
import sys

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import labelled_study
from each import each
from scrubin.cli import main
from scrubin.curate.label import events, people
from scrubin.curate.page import server


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return labelled_study.project(tmp_path_factory.mktemp("labelled") / "study")


@pytest.fixture
def said(capsys, monkeypatch, study):
    """Call the command in the study; return its exit code, and what it printed."""
    monkeypatch.chdir(study)

    def call(*arguments):
        code = main(["label", *arguments])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return call


def test_from_the_first_person_to_an_export(said, study):
    assert said("--assign")[1].endswith("nobody labels yet; add annotators by: scrubin label --add NAME\n")
    code, text = said("--add", "Ann Weber")
    assert code == 0
    token = re.fullmatch(r"annotator 1; their token, which is shown only now:\n  (\S{32})\n", text)[1]
    assert people.of_token(people.load(study / people.PATH), token).number == 1
    said("--add", "Ben")
    assert said("--add", "Dora", "--adjudicator")[1].startswith("adjudicator 3;")
    assert said("--assign") == (0, "2 recordings assigned, 2 of them to several people\n")
    assert said("--assign") == (0, "0 recordings assigned, 0 of them to several people\n")
    code, text = said("--export")
    assert (code, text.splitlines()[0]) == (0, "0 files written, 0 the same as before; 2 recordings wait")
    assert all(line.endswith(": annotators 1, 2 are not done") for line in text.splitlines()[1:])
    assert len(text.splitlines()) == 3
    assert json.loads(said("--progress", "--json")[1])["recordings"]["assigned"] == 2
    assert "0 finished by everybody who labels them, 0 complete" in said("--progress")[1]
    assert said("--verify") == (0, f"{events.LEDGER_PATH}: 1 lines, the chain is whole\n")
    assert said("--shut-out", "Ben") == (0, "number 2 cannot come in any more; what they labelled stays\n")


REFUSED = [
    (("--host", "192.0.2.1"), "others could read tokens and videos on the way; give a TLS certificate"),
    (("--certificate", "cert.pem"), "--certificate and --key belong together"),
    (
        ("--certificate", "no.pem", "--key", "key.pem"),
        "no.pem: there is no such file; name the PEM file of the certificate by --certificate",
    ),
    (
        ("--certificate", "cert.pem", "--key", "no.pem"),
        "no.pem: there is no such file; name the PEM file of the certificate's key by --key",
    ),
    (("--certificate", "key.pem", "--key", "key.pem"), "key.pem: it holds no certificate in PEM; name"),
    (("--certificate", "cert.pem", "--key", "cert.pem"), "cert.pem: it holds no private key in PEM; name"),
    (("--certificate", "cert.pem", "--key", "."), ".: it cannot be read (Is a directory); "),
    (("--certificate", "cert.pem", "--key", "other_key.pem"), "cert.pem: other_key.pem is not its key; name the key with which"),
    (("--certificate", "cut.pem", "--key", "key.pem"), "cut.pem: it cannot be used with the key key.pem ("),
    (("--shut-out", "Nobody"), "there is no 'Nobody'"),
]
BY_THEMSELVES = REFUSED[:2]
"""These need no look at a file."""


@pytest.fixture(scope="module")
def certificate(study):
    """A certificate with its key, another key, and a certificate of which the end is missing."""
    name, begin = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "label.test")]), datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    own, other = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    unsigned = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(own.public_key()).serial_number(1)
    signed = unsigned.not_valid_before(begin).not_valid_after(begin.replace(year=2096)).sign(own, hashes.SHA256())
    pem = signed.public_bytes(serialization.Encoding.PEM)
    (study / "cert.pem").write_bytes(pem)
    (study / "cut.pem").write_bytes(pem[:200])
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    for file, key in (("key.pem", own), ("other_key.pem", other)):
        (study / file).write_bytes(key.private_bytes(serialization.Encoding.PEM, *plain))
    locked = serialization.BestAvailableEncryption(b"secret")
    (study / "locked_key.pem").write_bytes(own.private_bytes(serialization.Encoding.PEM, plain[0], locked))


@pytest.mark.usefixtures("certificate")
@each("arguments, says", REFUSED)
def test_what_cannot_be_is_refused_with_its_mend(said, arguments, says):
    code, text = said(*arguments)
    assert code == (2 if (arguments, says) in BY_THEMSELVES else 1)
    assert says in text


@pytest.mark.usefixtures("certificate")
@each("key", ["key.pem", "locked_key.pem"])
def test_a_certificate_with_its_own_key_is_fit_also_where_a_passphrase_protects_it(study, key):
    server.Certificate(study / "cert.pem", study / key).refuse_unfit()


@pytest.fixture
def changed():
    """Change a file of the study while a test looks at it."""

    @contextlib.contextmanager
    def changed(path, change):
        before = path.read_bytes()
        path.write_bytes(change(before))
        yield
        path.write_bytes(before)

    return changed


def test_a_broken_chain_is_named_and_nothing_is_read_from_it(said, study, changed):
    with changed(study / events.LEDGER_PATH, lambda before: before.replace(b'"by":"0"', b'"by":"1"') + before):
        code, text = said("--verify")
    assert code == 1
    assert "the chain of labels is broken here" in text
    assert "everything has to be labelled again" in text


WRONG = [
    ("vocabulary: cholect50", "vocabulary: cholect5", "'label.vocabulary' 'cholect5' is no vocabulary"),
    ('annotators: "2"', 'annotators: "0"', "'label.annotators' must be all, or a whole number above 0"),
    ("layers: [phases, actions, quality, ratings]", "layers: [steps]", "the vocabulary 'cholect50' has no steps"),
    ("vocabulary: cholect50", "vocabulary: cholec80", "'actions': the vocabulary 'cholec80' has no triplets; choose one of cholect50,"),
    ("layers: [phases, actions, quality, ratings]", "layers: []", "'label.layers' names none"),
    ("quality: [smoke, blurred]", "quality: []", "'label.quality' names nothing, but is a layer"),
    ("overlap: 1.0", "overlap: 1.5", "'label.overlap' must lie in [0.0, 1.0]"),
    ("order: mixed", "order: random", "'label.order' must be one of mixed, listed"),
    (None, "", "there is no section 'label'"),
]


@each("old, new, says", WRONG)
def test_a_wrong_parameter_is_named_with_what_it_may_be(said, study, changed, old, new, says):
    def change(text):
        return text.replace(old.encode(), new.encode()) if old else text.partition(b"label:")[0]

    with changed(study / "params.yaml", change):
        code, text = said("--progress")
    assert code == 1
    assert says in text


@each("section", ["layers: [phases, ratings]\n  vocabulary: cholec80", "layers: [steps]\n  vocabulary: multibypass140"])
def test_layers_that_need_no_triplets_are_labelled_in_a_vocabulary_without_any(said, study, changed, section):
    named = b"layers: [phases, actions, quality, ratings]\n  vocabulary: cholect50"
    with changed(study / "params.yaml", lambda before: before.replace(named, section.encode())):
        code, text = said("--progress")
    assert (code, "no vocabulary" in text) == (0, False)


def test_nobody_gets_a_token_that_opens_no_page(said, study, changed):
    before = people.load(study / people.PATH)
    with changed(study / "params.yaml", lambda text: text.replace(b"vocabulary: cholect50", b"vocabulary: cholect5")):
        code, text = said("--add", "Eva")
    assert (code, "'label.vocabulary' 'cholect5' is no vocabulary" in text) == (1, True)
    assert "token" not in text
    assert people.load(study / people.PATH) == before


@pytest.mark.slow
def test_the_page_opens_without_what_only_statistics_need():
    needs = (
        "import sys, scrubin.curate.label.app, scrubin.cli.label; print(sorted({'sklearn', 'pingouin', 'matplotlib'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", needs], capture_output=True, check=True, text=True).stdout == "[]\n"
