"""Flags that make an allowed program do something else than its name says, as data.

A rule is one entry of `RULES`, with examples that a test holds it to: commands that the rule
must refuse and commands that it must leave alone. `SYNTAX` says how a program spells options,
so that a rule names a flag once and every spelling of it is meant. How rules are applied stands
in `custody.checks.guards.options`.

This is a list of what is known, not a boundary: a program that runs what it finds in the
workspace needs no flag for it. It makes refusals early and their reasons clear.
"""

from __future__ import annotations

from typing import NamedTuple


class Syntax(NamedTuple):
    """How a program reads its options."""

    names: bool = False
    """Whether ``-name`` is one option, as with go and find, and not a row of letters."""
    abbreviated: bool = True
    """Whether ``--na`` is taken for ``--name``."""
    valued: str = ""
    """Letters that take a value: what is glued to one is text, not more letters."""


SYNTAX: dict[str, Syntax] = {
    "cargo": Syntax(abbreviated=False, valued="jpF"),
    "env": Syntax(valued="u"),
    "find": Syntax(names=True, abbreviated=False),
    "git": Syntax(valued="nSGLUMCBeflAm"),
    "go": Syntax(names=True, abbreviated=False),
    "make": Syntax(valued="joOlW"),
    "mypy": Syntax(valued="mp"),
    "node": Syntax(abbreviated=False),
    "npm": Syntax(names=True),
    "npx": Syntax(names=True),
    "pytest": Syntax(abbreviated=False, valued="kmrnW"),
    "python": Syntax(abbreviated=False, valued="WX"),
    "rg": Syntax(abbreviated=False),
    "ruff": Syntax(abbreviated=False),
    "sort": Syntax(valued="kSt"),
    "tar": Syntax(valued="fbgHKLNVX"),
}
"""For programs that differ from GNU's letters and abbreviated ``--names``."""


class FlagRule(NamedTuple):
    """Words that one program may not be given."""

    program: str
    flags: str
    """Separated by blanks."""
    why: str
    """The end of a sentence that begins with the word; ``{}`` is the program."""
    match: tuple[str, ...]
    """Commands that this rule refuses."""
    not_match: tuple[str, ...]
    """Commands that it has nothing against."""
    words: str = ""
    """A pattern for the beginning of words that are refused as well."""
    leading: bool = False
    """Whether only words up to the first that is no option count: git's own options stand
    before its subcommand, and what follows a script belongs to the script."""


RUNS = "makes {} start another program"
LOADS = "makes {} load other code"
CODE = "makes {} run code that stands in the command"
OTHER = "makes {} work by another configuration"
WRITES = "makes {} write where the command says"
WRAPS = "is what {} would start; the allowed command must spell it out"

_SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
_WRAPPERS = ("env", "nice", "nohup", "npx", "setsid", "stdbuf", "sudo", "time", "timeout", "xargs")

RULES: tuple[FlagRule, ...] = (
    FlagRule(
        "go", "-exec -toolexec -vettool -ldflags -gccgoflags", RUNS,
        ("go test -exec ./x ./...", "go build --toolexec=./x", "go build -ldflags=-extld=./x"),
        ("go test -run exec", "go test -execute", "go build -gcflags=-m"),
    ),
    FlagRule(
        "go", "-C -modfile -overlay", OTHER,
        ("go test -C x ./...", "go build -overlay=o.json", "go build -modfile x"),
        ("go test -c", "go test -cover"),
    ),
    FlagRule(
        "go",
        "-o -outputdir -trace -blockprofile -coverprofile -cpuprofile -memprofile -mutexprofile",
        WRITES,
        ("go build -o x", "go build -o=x", "go test -coverprofile=c.out"),
        ("go test -cover ./...", "go test -v"),
    ),
    FlagRule(
        "pytest", "-p --pdbcls --pyargs", LOADS,
        ("pytest -p x", "pytest -px", "pytest -qp x", "python -m pytest -p x", "py.test -p x"),
        ("pytest -rp", "pytest -kp", "pytest -q", "pytest --pdb", "pytest tests/p.py"),
    ),
    FlagRule(
        "pytest", "--tx --px --rsyncdir", RUNS,
        ("pytest --tx popen//python=./x", "python3.12 -Im pytest --px=x"),
        ("pytest -n 4", "pytest --tb=short"),
    ),
    FlagRule(
        "pytest",
        "-c --config-file -o --override-ini --rootdir --confcutdir --noconftest --cov-config",
        OTHER,
        ("pytest -c x.ini", "pytest -oaddopts=-px", "pytest -xoa=b", "pytest --rootdir=x"),
        ("pytest --co", "pytest --cov=x", "pytest -k c", "pytest tests/c.py"),
    ),
    FlagRule(
        "pytest", "", "makes {} read its arguments from a file",
        ("pytest @x",), ("pytest a@b.py",), words="@",
    ),
    FlagRule(
        "pytest", "--basetemp --junitxml --junit-xml --log-file --debug", WRITES,
        ("pytest --basetemp=src", "pytest --junitxml x"),
        ("pytest --log-level=INFO", "pytest --junit-prefix=x"),
    ),
    FlagRule(
        "pytest", "--pastebin", "makes {} send its output away",
        ("pytest --pastebin=all",), ("pytest -v",),
    ),
    FlagRule(
        "python", "-c", CODE,
        ("python -c pass", "python -Ic pass", "python -W error -c pass", "python3.12 -c pass"),
        ("python x.py -c y", "python -m pytest -q"), leading=True,
    ),
    FlagRule(
        "python", "-m --check-hash-based-pycs", LOADS,
        ("python -m http.server", "python -mhttp.server", "python3 -Im x"),
        ("python x.py -m y", "python -m pytest"), leading=True,
    ),
    FlagRule(
        "make", "-f --file --makefile -I --include-dir -C --directory -E --eval -e"
        " --environment-overrides", OTHER,
        ("make -f x.mk", "make test -fx.mk", "make -kf x.mk", "make --f=x.mk", "make -E x"),
        ("make -k test", "make -j4 test", "make -s", "make --debug", "make test -- x"),
    ),
    FlagRule(
        "make", "", "puts text of the command into the recipes of {}",
        ("make test SHELL=./x", "make MAKEFLAGS=-e", "make X!=id", "make X:=y", "make =x"),
        ("make test", "make a/b.o", "make -O=line"), words="(?!-)[^=]*=",
    ),
    FlagRule(
        "git", "-c -C --config-env --exec-path --git-dir --work-tree --namespace --attr-source",
        OTHER,
        ("git -c core.pager=./x log", "git -C/x log", "git --git-dir=x log", "git -p -c a=b log"),
        ("git log -c", "git log -C", "git log -p --oneline"), leading=True,
    ),
    FlagRule(
        "git", "-O --open-files-in-pager --ext-diff --exec --upload-pack --receive-pack", RUNS,
        ("git grep -O./x y", "git grep -iO./x y", "git log --ext-diff", "git rebase --exec x"),
        ("git log --oneline", "git log -SOh", "git log -n 5"),
    ),
    FlagRule(
        "git", "--output --output-directory", WRITES,
        ("git log --output=x", "git log --outp x"), ("git log --oneline",),
    ),
    FlagRule(
        "git", "--no-index --contents --template", "makes {} read files that are not its own",
        ("git diff --no-index a b", "git blame --contents=x y"), ("git log --no-color",),
    ),
    FlagRule(
        "npm", "-script-shell -shell -node-options -call -c", RUNS,
        ("npm test --script-shell=./x", "npm test -script-shell ./x", "npm test --script-sh=x"),
        ("npm test --silent", "npm test -s", "npm test -- --watch=false"),
    ),
    FlagRule(
        "npm", "-prefix -C -userconfig -globalconfig -g -global -location", OTHER,
        ("npm test --prefix x", "npm -C x test", "npm test -g"), ("npm test", "npm run build"),
    ),
    FlagRule(
        "npx", "-call -c -package -p -node-options -script-shell", RUNS,
        ("npx -c id", "npx -p x y", "npx --package=x y"), ("npx jest --ci",), leading=True,
    ),
    FlagRule(
        "node", "-e --eval -p --print", CODE,
        ("node -e 1", "node -pe 1", "node --eval=1"), ("node x.js", "node --test"),
    ),
    FlagRule(
        "node", "-r --require --import --loader --experimental-loader --env-file --inspect"
        " --inspect-brk --openssl-config", LOADS,
        ("node -r ./x y.js", "node --import=./x y.js"), ("node --test x.js",),
    ),
    FlagRule(
        "cargo", "--config -Z -C --manifest-path --target-dir --artifact-dir --out-dir", OTHER,
        ("cargo test --config x", "cargo -Zx test", "cargo test --manifest-path=x"),
        ("cargo test --release", "cargo test -p x", "cargo test -- --nocapture"),
    ),
    FlagRule(
        "cargo", "", "makes {} another toolchain's",
        ("cargo +x test",), ("cargo test a+b",), words=r"\+",
    ),
    FlagRule(
        "find", "-exec -execdir -ok -okdir", RUNS,
        ("find . -exec x", "find . -okdir x"), ("find . -name exec", "find . -executable"),
    ),
    FlagRule(
        "find", "-delete -fprint -fprint0 -fprintf -fls -files0-from", WRITES,
        ("find . -delete", "find . -fls x"), ("find . -print", "find . -ls"),
    ),
    FlagRule(
        "tar", "-I --use-compress-program --to-command --checkpoint-action -F --info-script"
        " --new-volume-script --rsh-command --rmt-command", RUNS,
        ("tar -xIx -f a", "tar --to-command=x -xf a", "tar --checkpoint-action=exec=x -cf a b"),
        ("tar -tf a", "tar -tfIa", "tar --list"),
    ),
    FlagRule(
        "tar", "-C --directory -P --absolute-names", WRITES,
        ("tar -xf a -C x", "tar -C/etc -cf x passwd", "tar -Pxf a", "tar --dir=x -xf a"),
        ("tar -tf a", "tar -cf a b"),
    ),
    FlagRule(
        "tar", "", WRITES,
        ("tar xfC a x", "tar xPf a"), ("tar tf a", "tar cf a CC"),
        words="[A-Za-z]*[CFIP]", leading=True,
    ),
    FlagRule(
        "sort", "-o --output -T --temporary-directory", WRITES,
        ("sort -o x y", "sort -uox y", "sort --out=x y"), ("sort -u x", "sort -k2 x", "sort -to x"),
    ),
    FlagRule(
        "sort", "--compress-program --files0-from", RUNS,
        ("sort --compress-program=x y",), ("sort -u x",),
    ),
    FlagRule(
        "rg", "--pre --hostname-bin", RUNS,
        ("rg --pre ./x y", "rg --pre=./x y"), ("rg -e pre", "rg --pretty x"),
    ),
    FlagRule(
        "mypy", "--config-file --python-executable --custom-typeshed-dir --shadow-file", OTHER,
        ("mypy --config-file=x", "mypy --conf x", "mypy --python-exec=./x y"),
        ("mypy --strict src", "mypy -p c"),
    ),
    FlagRule("mypy", "-c --command", CODE, ("mypy -c x",), ("mypy src",)),
    FlagRule(
        "ruff", "--config -o --output-file", OTHER,
        ("ruff check --config x", "ruff check -o x"), ("ruff check --fix", "ruff check ."),
    ),
    FlagRule(
        "perl", "-e -E -I -M -m", CODE,
        ("perl -e 1", "perl -we 1", "perl -Mx y"), ("perl x.pl -e",), leading=True,
    ),
    FlagRule(
        "ruby", "-e -I -r", CODE,
        ("ruby -e 1", "ruby -we 1", "ruby -r./x y"), ("ruby x.rb -e",), leading=True,
    ),
    FlagRule(
        "env", "-S --split-string -C --chdir", RUNS,
        ("env -S x", "env --split=x", "env -iSx"), ("env", "env -i"), leading=True,
    ),
    *(
        FlagRule(
            shell, "-c -s -o -O --rcfile --init-file -i -l --login", CODE,
            (f"{shell} -c id", f"{shell} -ec id", f"{shell} --rcfile x y.sh"),
            (f"{shell} x.sh -c", f"{shell} -e x.sh"), leading=True,
        )
        for shell in _SHELLS
    ),
    *(
        FlagRule(
            wrapper, "", WRAPS, (f"{wrapper} x", f"{wrapper} -x y"), (wrapper,),
            words="[^-]", leading=True,
        )
        for wrapper in _WRAPPERS
    ),
)  # fmt: skip
