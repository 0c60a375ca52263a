"""As a library: DOT text, an object that is an agent, and what is said about a wrong one."""

from __future__ import annotations

import pytest

from support.transcript import Transcript

PROGRAM = '''from custody import Ack, AgentRequest, Stage, replay, run

GREET = """
digraph greet {
  start [shape=Mdiamond]
  write [prompt="Write a greeting.", allowed_write_paths="greeting.txt"]
  test  [type=tool, tool_command="grep -q hello greeting.txt"]
  done  [shape=Msquare]
  start -> write -> test
  test  -> done  [condition="outcome=success"]
  test  -> write [condition="outcome=fail"]
}
"""


class Greeter:
    prompts: list[str] = []

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        self.prompts.append(request.prompt.text)
        greeting = "hi\\n" if len(self.prompts) == 1 else "hello\\n"
        stage.workspace.root.write("greeting.txt", greeting.encode())
        response = stage.folder.write("response.md", "I wrote greeting.txt.\\n")
        return Ack(request_id=request.id, status="ok", evidence=(response,))


done = run(GREET, agent=Greeter(), run_id="r1")
for stage in done.summary.stages:
    print(f"{stage.node:<6} {stage.outcome}")
print(done.summary.status, "and replayed:", replay("r1").status)
'''


@pytest.mark.req("U-17")
@pytest.mark.usefixtures("confined")
def test_a_program_with_an_agent_of_its_own(terminal: Transcript) -> None:
    terminal.write("greet.py", PROGRAM)
    terminal.write("wrong.py", PROGRAM.replace("agent=Greeter()", "agent=print"))
    terminal("python3 greet.py")
    terminal("custody show r1 write --attempt 2.1")
    terminal("python3 wrong.py 2>&1 | tail -n 1")
    terminal.must_be_as_kept()
