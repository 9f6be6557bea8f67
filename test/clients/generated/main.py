"""Creates, locks, and lists a workspace with the client that openapi-python-client generates."""

import importlib
import json
import os
import pkgutil

import holdfast_client
from holdfast_client import AuthenticatedClient
from holdfast_client.api.workspaces import workspaces_create, workspaces_list, workspaces_lock
from holdfast_client.models import WorkspaceBody, WorkspaceLockBody

# Every generated module can be imported, not only those that are used here.
for module in pkgutil.walk_packages(holdfast_client.__path__, "holdfast_client."):
    importlib.import_module(module.name)

client = AuthenticatedClient(os.environ["ORIGIN"], os.environ["TOKEN"])
body = WorkspaceBody.from_dict({"data": {"type": "workspaces", "attributes": {"name": "made-with-python"}}})
created = workspaces_create.sync("demo", client=client, body=body)
locked = workspaces_lock.sync(created.data.id, client=client, body=WorkspaceLockBody(reason="generated"))
listed = workspaces_list.sync("demo", client=client, searchname="made-with-python")
print(
    json.dumps(
        {
            "id": created.data.id,
            "locked": locked.data.attributes.locked,
            "listed": [workspace.id for workspace in listed.data],
        }
    )
)
