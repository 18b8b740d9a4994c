"""The server: the library's pages over HTTP, on this machine unless told otherwise."""

import contextlib
import threading
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal
from urllib.parse import quote

import anyio
from fastapi import Depends, FastAPI, Path, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.routing import APIRouter
from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from viewer import live, render, site
from viewer.errors import NotListed
from viewer.kernels import compiled
from viewer.library import Entry, Library
from viewer.middleware import Guard
from viewer.pages import ErrorPage
from viewer.policy import SANDBOX
from viewer.recompiler import Recompiler
from viewer.saved import Workshop
from viewer.urls import FILES, KERNELS, RENEWED, STATIC, Urls

router = APIRouter()


class Shelf:
    """The library and a lock around it, since requests are answered on several threads; and what watches it."""

    def __init__(self, traces: FilePath, workshop: FilePath | None) -> None:
        self.library = Library(traces)
        self.lock = threading.Lock()
        self.bell = live.Bell(self.folders)
        self.workshop = Workshop(workshop, self.library.store) if workshop is not None else None
        self.recompiler = Recompiler(self.library.store, workshop or FilePath())  # does nothing until it is asked

    def folders(self) -> set[FilePath]:
        """What to watch: the traces, and in the author's workshop the kernels' files."""
        if self.workshop is None:
            return {self.library.traces}
        with self.lock:
            traces = [entry.trace for entry in self.library.entries()]
        return {self.library.traces, *self.workshop.folders(traces)}

    def state(self) -> str:
        """Every recording as it is now, as the data of one event."""
        with self.lock:
            return live.encode(live.state(self.library, self.workshop))

    def renewed(self, key: str, until: str) -> bytes:
        """The variant kept under `key` as its files now compile, with its stages, as JSON. Raises NotListed."""
        if self.workshop is None:
            raise NotListed("kernels are compiled anew on the author's own machine only")
        with self.lock:
            recorded = self.library.sources(key)
        changed = self.workshop.changed(recorded)
        variant = self.recompiler.compile(key, changed, until)
        own = next(iter(recorded))
        return site.renewed(variant, compiled(self.recompiler.made / "kernels", variant, (recorded | changed)[own]))


def _tag(entry: Entry) -> dict[str, str]:
    """The header that lets a browser keep what has not changed: neither the recording nor the viewer."""
    return {"ETag": f'"{entry.revision}-{render.build()}"'} if entry.revision else {}


def _shelf(request: Request) -> Shelf:
    found: Shelf = request.app.state.shelf
    return found


Shelved = Annotated[Shelf, Depends(_shelf)]
Name = Annotated[str, Path(description="name of a recording, its file's without .json")]
Count = Annotated[int, Path(ge=0, le=2**31)]
NOT_LISTED: dict[int | str, dict[str, Any]] = {
    404: {"description": "there is no such page or file", "content": {"text/html": {}}}
}


@router.get("/", response_class=HTMLResponse, responses={307: {"description": "an old address"}})
def index(request: Request, shelf: Shelved) -> Response:
    """The index of recordings; an address of the original viewer (`?trace=NAME&step=N`) leads to the lecture."""
    asked = dict(request.query_params)
    if trace := asked.pop("trace", ""):
        name = FilePath(trace).name.removesuffix(".json")
        rest = request.url.include_query_params().remove_query_params("trace").query
        return RedirectResponse(f"./{quote(name, safe='')}/" + (f"?{rest}" if rest else ""))
    with shelf.lock:
        return HTMLResponse(site.index(shelf.library))


@router.get("/_events", response_class=EventSourceResponse)
async def events(shelf: Shelved) -> EventSourceResponse:
    """Server-sent events `changed`, with the state of every recording: at once, then whenever one has changed."""
    stop = anyio.Event()  # set when the server ends, so that the answer is whole then; it has a moment for that
    return EventSourceResponse(_told(shelf, stop), ping=15, shutdown_event=stop, shutdown_grace_period=1)


async def _told(shelf: Shelf, stop: anyio.Event) -> AsyncIterator[dict[str, str]]:
    async for _ in shelf.bell.rings(stop):
        yield {"event": "changed", "data": await run_in_threadpool(shelf.state)}


@router.get(f"/{STATIC}/{{path:path}}", response_class=FileResponse, responses=NOT_LISTED)
def static(path: str) -> Response:
    """A script, style or font of the viewer."""
    if path not in render.static_files():
        raise NotListed(f"there is no file {path!r}")
    return FileResponse(render.STATIC / path)


@router.get(f"/{FILES}/{{name}}", response_class=FileResponse, responses=NOT_LISTED)
def file(name: str, shelf: Shelved) -> Response:
    """A picture, film or chart that a recording shows."""
    with shelf.lock:
        path = shelf.library.file(name)
    return FileResponse(path, headers={"Content-Security-Policy": SANDBOX})


@router.get(f"/{KERNELS}/{{key}}.json", responses=NOT_LISTED)
def stages(key: str, shelf: Shelved) -> Response:
    """The linked stages of a compiled kernel."""
    with shelf.lock:
        found = shelf.library.variant(key)
    content = shelf.library.stages.json(*found)  # not while others wait: colouring a kernel's stages takes a second
    return Response(content, 200, {"ETag": f'"{sha256(content).hexdigest()[:12]}"'}, "application/json")


@router.get(f"/{KERNELS}/{{key}}/{{stage}}", response_class=FileResponse, responses=NOT_LISTED)
def stage(key: str, stage: str, shelf: Shelved) -> Response:
    """The text of one stage of a compiled kernel."""
    with shelf.lock:
        path = shelf.library.stage(key, stage)
    return FileResponse(path, media_type="text/plain; charset=utf-8")


@router.get(f"/{RENEWED}/{{key}}.json", responses=NOT_LISTED)
def renewed(key: str, shelf: Shelved, until: Literal["", "ptx"] = "") -> Response:
    """A compiled kernel as its files, saved since, now compile: on the author's own machine only."""
    return Response(shelf.renewed(key, until), media_type="application/json")


@router.get("/{name}", response_class=RedirectResponse, responses=NOT_LISTED)
def folder(name: Name, request: Request, shelf: Shelved) -> Response:
    """A lecture's address without its last slash."""
    with shelf.lock:
        shelf.library.entry(name)
    query = request.url.query
    return RedirectResponse(f"./{quote(name, safe='')}/" + (f"?{query}" if query else ""))


@router.get("/{name}/", response_class=HTMLResponse, responses=NOT_LISTED)
def lecture(name: Name, shelf: Shelved) -> Response:
    """A lecture's page."""
    with shelf.lock:
        entry = shelf.library.entry(name)
        return HTMLResponse(site.lecture(entry, live=True), 200 if entry.trace else 422, _tag(entry))


@router.get("/{name}/data.json", responses=NOT_LISTED)
def data(name: Name, shelf: Shelved) -> Response:
    """The columns of a lecture's page."""
    with shelf.lock:
        entry = shelf.library.entry(name)
        return Response(entry.data(), 200, _tag(entry), "application/json")


@router.get("/{name}/outputs/{spot}/{chunk}.json", responses=NOT_LISTED)
def outputs(name: Name, spot: Count, chunk: Count, shelf: Shelved) -> Response:
    """Outputs that the page itself does not hold."""
    with shelf.lock:
        found = shelf.library.entry(name).lecture()
        return Response(site.outputs(found, spot, chunk), media_type="application/json")


@router.get("/{name}/plots/{key}.json", responses=NOT_LISTED)
def chart(name: Name, key: str, shelf: Shelved) -> Response:
    """The specification of a chart."""
    with shelf.lock:
        return Response(site.chart(shelf.library.entry(name).lecture(), key), media_type="application/json")


@router.get("/{name}/compare/", response_class=HTMLResponse, responses=NOT_LISTED)
def compare(name: Name, shelf: Shelved) -> Response:
    """What the recordings of a lecture measured, side by side."""
    with shelf.lock:
        return HTMLResponse(render.compare(site.compare(shelf.library, name)))


def _not_listed(request: Request, error: Exception) -> Response:
    root = "../" * max(1, request.url.path.count("/") - 1) if request.url.path.count("/") > 1 else "./"
    return HTMLResponse(render.error(ErrorPage(Urls(root), "Not here", f"{error}.")), status_code=404)


def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code != 404:
        return Response(f"{error.detail}\n", error.status_code, error.headers, "text/plain")
    return _not_listed(request, NotListed("there is no such page"))


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with app.state.shelf.bell.watching():
        yield
    app.state.shelf.recompiler.close()


def create(traces: FilePath, workshop: FilePath | None = None) -> FastAPI:
    """The application that shows the recordings in `traces`. Raises UsageError when there is no such folder.

    `workshop` is the folder they were made in, on the author's own machine: kernels whose files are saved there are
    compiled anew. Not to be given where others than the author can connect.
    """
    shelf = Shelf(traces, workshop)
    app = FastAPI(
        title="Lecture viewer", docs_url=None, redoc_url=None, lifespan=_lifespan, redirect_slashes=False
    )
    app.state.shelf = shelf
    app.include_router(router)
    app.add_exception_handler(NotListed, _not_listed)
    app.add_exception_handler(HTTPException, _refused)
    app.add_middleware(Guard)
    return app
