"""A client of the Model Context Protocol, with Python's package `mcp`: reads its task as one line of JSON, writes lines of JSON.

When a person has to consent, it writes {"ask": URL}, and reads the URL to which the browser was redirected.
"""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata


def tell(**fields):
    print(json.dumps(fields), flush=True)


class Kept:
    """What the client keeps of its registration and its tokens."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def ask(url):
    tell(ask=url)


async def answered():
    line = await asyncio.to_thread(sys.stdin.readline)
    told = {name: values[0] for name, values in parse_qs(urlsplit(line.strip()).query).items()}
    return AuthorizationCodeResult(code=told["code"], state=told.get("state"), iss=told.get("iss"))


def http_client(task):
    if task.get("key"):
        return httpx2.AsyncClient(headers={"Authorization": f"Bearer {task['key']}"}, timeout=60)
    redirect = "http://127.0.0.1:9/callback"
    metadata = OAuthClientMetadata(client_name="Python", redirect_uris=[redirect])
    auth = OAuthClientProvider(task["url"], metadata, Kept(), ask, answered)
    return httpx2.AsyncClient(auth=auth, timeout=60)


async def use(task):
    async with http_client(task) as http:
        transport = streamable_http_client(task["url"], http_client=http)
        async with Client(transport, mode=task["mode"]) as client:
            tools = await client.list_tools()
            resources = await client.list_resources()
            templates = await client.list_resource_templates()
            prompts = await client.list_prompts()
            tell(
                version=client.protocol_version,
                tools=[tool.name for tool in tools.tools],
                resources=[str(resource.uri) for resource in resources.resources],
                templates=[template.uri_template for template in templates.resource_templates],
                prompts=[prompt.name for prompt in prompts.prompts],
            )
            mailbox = task["mailbox"]
            listed = await client.call_tool("list_messages", {"mailbox": mailbox, "limit": 1})
            messages = listed.structured_content["messages"]
            if not messages:
                tell(read=None)
                return
            message = messages[0]["message_id"]
            read = await client.call_tool("read_message", {"mailbox": mailbox, "message_id": message})
            resource = await client.read_resource(f"mailroom://message/{message}")
            prompt = await client.get_prompt("triage_inbox", {"mailbox": mailbox})
            tell(
                read=[block.text for block in read.content],
                resource=[content.text for content in resource.contents],
                prompt=[message.content.type for message in prompt.messages],
            )


asyncio.run(use(json.loads(sys.stdin.readline())))
