"""Projects and agents as archives tell of them, stored again under their ids."""

from collections.abc import Iterable, Sequence
from functools import partial

from postroom import token
from postroom.agent import Agent, AgentState
from postroom.archive.filed_mail import FiledMail
from postroom.archive.profile import Profile
from postroom.archive.rebuilding import Tally, Tools
from postroom.archive.recovered import Archived, Whole
from postroom.ports import Session
from postroom.records import NewAgent
from postroom.workflow import Workflow

_LABEL = "a token from before the recovery"


class People:
    """Stores projects and agents, and knows them by id."""

    def __init__(self, tools: Tools, tally: Tally) -> None:
        self.workflows: dict[str, Workflow] = {}
        self.agents: dict[str, Agent] = {}
        self._tools = tools
        self._tally = tally

    def settle(self, archived: Archived) -> None:
        """Store a project and everybody who has a profile in it, parents first."""
        project = archived.project
        if not project.key:
            self._tally.lost.append(f"the key of the project {project.id}: it has its id for one")

        def add(session: Session) -> Workflow:
            return session.add_workflow(project.id, project.key or project.id, project.created_at)

        workflow = self.workflows[project.id] = self._tools.store.write(add)
        self._tally.projects += 1
        for profile in _parents_first(_one_live_each(archived.profiles.values())):
            self._add(workflow, profile)

    def meet(self, whole: Whole, workflow: Workflow) -> None:
        """Store those whom a message names and no profile tells of."""
        for name, id in whole.agent_ids.items():
            if id not in self.agents:
                self._tally.lost.append(f"what {name} ({id}) is: only its name is known")
                self._add(workflow, _stranger(id, name, whole.letter.created_at))

    def pair(self, session: Session, mail: FiledMail) -> tuple[Agent, Agent] | None:
        """The two ends of a piece of mail; None when one is not known."""
        ids = (mail.sender_id or "", mail.recipient_id)
        sender, recipient = (self.agents.get(id) or session.agent(id) for id in ids)
        return (sender, recipient) if sender and recipient else None

    def _add(self, workflow: Workflow, profile: Profile) -> None:
        parent = self.agents.get(profile.parent_id or "")
        if profile.parent_id and parent is None:
            self._tally.lost.append(f"the parent of {profile.id}, {profile.parent_id}")
        new = _new_agent(profile, workflow.number, parent)
        self.agents[profile.id] = self._tools.store.write(partial(self._store, new, profile))
        self._tally.agents += 1

    def _store(self, new: NewAgent, profile: Profile, session: Session) -> Agent:
        agent = session.add_agent(new)
        if profile.proves:
            # A token that nobody has: the agent's id alone is not to be believed again.
            lost, _ = token.issue(self._tools.random_bytes, agent, _LABEL, self._tools.now, None)
            session.add_token(lost)
            session.revoke_token(lost, self._tools.now)
        return agent


def _one_live_each(profiles: Iterable[Profile]) -> list[Profile]:
    """Of the live agents of one name only the last; the others ended before it came."""
    ended = AgentState.ARCHIVED.name.lower()
    newest_first = sorted(profiles, key=lambda one: (one.created_at, one.id), reverse=True)
    taken: set[str] = set()
    kept = []
    for one in newest_first:
        is_live = one.state != ended
        kept.append(one.ended() if is_live and one.name.lower() in taken else one)
        taken |= {one.name.lower()} if is_live else set()
    return kept[::-1]


def _parents_first(profiles: Sequence[Profile]) -> list[Profile]:
    by_id = {one.id: one for one in profiles}
    ordered: dict[str, Profile] = {}
    for one in profiles:
        above = []
        at: Profile | None = one
        while at is not None and at.id not in ordered and at not in above:
            above.append(at)
            at = by_id.get(at.parent_id or "")
        ordered |= {each.id: each for each in reversed(above)}
    return list(ordered.values())


def _stranger(id: str, name: str, created_at: int) -> Profile:
    return Profile(
        id=id,
        name=name,
        role="",
        parent_id=None,
        state=AgentState.RUNNING.name.lower(),
        program="",
        model="",
        task_description="",
        contact_policy="auto",
        attachments_policy="auto",
        proves=False,
        created_at=created_at,
    )


def _new_agent(profile: Profile, workflow: int, parent: Agent | None) -> NewAgent:
    return NewAgent(
        id=profile.id,
        name=profile.name,
        workflow=workflow,
        role=profile.role,
        parent=parent.number if parent else None,
        state=AgentState[profile.state.upper()],
        program=profile.program,
        model=profile.model,
        task_description=profile.task_description,
        created_at=profile.created_at,
        contact_policy=profile.contact_policy,
        attachments_policy=profile.attachments_policy,
    )
