"""The session: one looping graph that a terminal, a pipe, a test and a service drive by resuming it."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from nodes.session.clear import clear
from nodes.session.fixer import fixer
from nodes.session.manager import manager
from nodes.session.retrieve_memory import retrieve_memory
from nodes.session.reviewer import reviewer
from nodes.session.routes import continue_router, next_worker
from nodes.session.save_experience import save_experience
from nodes.session.summarize import summarize
from nodes.session.user_input import user_input
from state import Context, SessionState

SessionGraph = StateGraph[SessionState, Context, SessionState, SessionState]


def build_session() -> SessionGraph:
    """The graph, uncompiled: `user_input` waits, a task goes round by `manager`, `clear` leads back to `user_input`."""
    graph: SessionGraph = StateGraph(SessionState, Context)
    for node in (user_input, retrieve_memory, manager, reviewer, fixer, save_experience, summarize, clear):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "user_input")
    graph.add_conditional_edges("user_input", continue_router, {"retrieve_memory": "retrieve_memory", "quit": END})
    graph.add_edge("retrieve_memory", "manager")
    graph.add_conditional_edges("manager", next_worker, {"reviewer": "reviewer", "fixer": "fixer", "FINISH": "save_experience"})
    graph.add_edge("reviewer", "manager")
    graph.add_edge("fixer", "manager")
    graph.add_edge("save_experience", "summarize")
    graph.add_edge("summarize", "clear")
    graph.add_edge("clear", "user_input")
    return graph


def mermaid() -> str:
    """The compiled graph as a Mermaid diagram."""
    return build_session().compile().get_graph().draw_mermaid()
