"""The records of the API, as types. Written by generate.py; do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

#: The events of one's own room; the others are a channel's.
OWN_EVENTS = frozenset(
    {
        "account:updated",
        "agent:policy-changed",
        "agent:replay",
        "audit:created",
        "channel:created",
        "channel:member-added",
        "channel:member-removed",
        "channel:read",
        "channel:receipts",
        "command:complete",
        "dm:created",
        "draft:updated",
        "ephemeral:created",
        "ephemeral:removed",
        "favorites:updated",
        "friend:accepted",
        "friend:removed",
        "friend:request",
        "handover:ended",
        "handover:offered",
        "held:created",
        "held:decided",
        "interaction:created",
        "interaction:updated",
        "invite:created",
        "invite:deleted",
        "invite:used",
        "join-request:created",
        "join-request:decided",
        "later:removed",
        "later:updated",
        "member:banned",
        "member:timed-out",
        "member:unbanned",
        "membership:updated",
        "message:stream-stopped",
        "notification:deleted",
        "notification:new",
        "notification:preferences",
        "notification:read",
        "notification:settings",
        "notification:updated",
        "poll:voted",
        "push:preferences",
        "receipts:choice",
        "report:created",
        "report:updated",
        "scheduled:removed",
        "scheduled:updated",
        "server:deleted",
        "server:invited",
        "server:joined",
        "server:left",
        "server:raid",
        "server:updated",
        "thread:state",
        "workspace:changed",
    }
)


class AccountUpdate(TypedDict):
    language: Literal['en', 'de', 'es', 'fr', 'ja', 'ar'] | None
    timeZone: str | None
    hourCycle: Literal['h12', 'h23'] | None
    theme: Literal['light', 'dark', 'contrast'] | None

class Agent(TypedDict):
    id: str
    userId: str
    ownerId: str
    name: str
    displayName: str
    avatarUrl: str | None
    status: Literal['running', 'stopped', 'error']
    lastHeartbeat: str | None
    totalOnlineSeconds: int
    config: dict[str, Any]
    createdAt: str
    updatedAt: str
    botUser: SmallUser

class AgentPolicy(TypedDict):
    id: str
    agentId: str
    serverId: str | None
    channelId: str | None
    mode: Literal['replyAll', 'mentionOnly', 'custom', 'disabled']
    mentionOnly: bool
    reply: bool
    listen: bool
    config: dict[str, Any]
    owner: PolicyHalf | None
    server: PolicyHalf | None
    createdAt: str
    updatedAt: str

class AllowedApp(TypedDict):
    id: str
    app: AllowedAppApp
    scopes: list[str]
    createdAt: str
    lastUsedAt: str | None

class AllowedAppApp(TypedDict):
    id: str
    name: str
    website: str | None
    isSelfRegistered: bool

class AnswerContext(TypedDict):
    messageId: str
    channelId: str
    answersTo: int
    hearing: Literal['all', 'own', 'commands', 'none']
    messages: list[AnswerContextMessagesItem]
    hasMore: bool
    before: int | None

class AnswerContextMessagesItem(TypedDict):
    id: str
    channelId: str
    dmChannelId: NotRequired[str]
    seq: int
    content: str
    authorId: str
    author: SmallUser
    threadId: str | None
    replyToId: str | None
    replyTo: ReplyPreview | None
    thread: ThreadSummary | None
    attachments: list[Attachment]
    reactions: list[ReactionSummary]
    mentions: list[AnswerContextMessagesItemMentionsItem]
    metadata: dict[str, Any] | None
    nonce: NotRequired[str | None]
    isEdited: bool
    isPinned: bool
    isDeleted: NotRequired[bool]
    createdAt: str
    updatedAt: str
    previews: list[LinkPreview]
    poll: NotRequired[Poll]
    forwarded: NotRequired[Forwarded]
    components: NotRequired[Components]
    answersTo: NotRequired[int]
    changedSince: NotRequired[bool]

class AnswerContextMessagesItemMentionsItem(TypedDict):
    kind: Literal['user', 'channel', 'here', 'everyone']
    targetId: str
    token: str
    label: str
    range: AnswerContextMessagesItemMentionsItemRange

class AnswerContextMessagesItemMentionsItemRange(TypedDict):
    start: int
    end: int

class App(TypedDict):
    id: str
    serverId: str
    name: str
    slug: str
    type: Literal['html', 'zip', 'url']
    status: Literal['draft', 'active', 'archived']
    description: str | None
    iconUrl: str | None
    url: str | None
    version: int
    isHomepage: bool
    viewCount: int
    createdBy: str | None
    createdAt: str
    updatedAt: str

class Attachment(TypedDict):
    id: str
    url: str
    filename: str
    contentType: str
    size: int
    width: int | None
    height: int | None
    thumbnailUrl: str | None
    durationMs: int | None
    voice: bool
    waveform: str | None
    isSpoiler: bool

class AuditEntry(TypedDict):
    id: str
    serverId: str | None
    channelId: str | None
    channelName: str | None
    action: str
    source: Literal['user', 'cli', 'system']
    actor: SmallUser | None
    token: AuditEntryToken | None
    target: AuditEntryTarget | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    reason: str | None
    createdAt: str

class AuditEntryTarget(TypedDict):
    kind: Literal['server', 'channel', 'category', 'user', 'message', 'thread', 'role', 'app', 'invite', 'join-request', 'report', 'filter', 'held-message', 'emoji', 'hook', 'instance-ban', 'job']
    id: str | None
    label: str | None
    user: SmallUser | None

class AuditEntryToken(TypedDict):
    kind: Literal['session', 'personal', 'agent']
    id: str | None
    name: str | None

class AuthAnswer(TypedDict):
    accessToken: str
    refreshToken: str
    deviceToken: NotRequired[str]
    user: OwnUser
    restored: NotRequired[Literal[True]]

class Ban(TypedDict):
    id: str
    serverId: str
    userId: str
    user: SmallUser
    bannedBy: str | None
    bannedByUser: SmallUser | None
    reason: str | None
    until: str | None
    createdAt: str

class BotFeed(TypedDict):
    agentId: str
    webhook: BotFeedWebhook | None
    poll: BotFeedPoll | None
    rooms: list[BotFeedRoom]

class BotFeedPoll(TypedDict):
    lag: int
    rooms: int

class BotFeedRoom(TypedDict):
    room: str
    head: int
    webhook: BotFeedRoomWebhook | None
    poll: BotFeedRoomPoll | None
    replayAfter: int | None
    waitingSince: str | None

class BotFeedRoomPoll(TypedDict):
    seq: int
    lag: int
    at: str | None

class BotFeedRoomWebhook(TypedDict):
    seq: int
    lag: int
    at: str | None

class BotFeedWebhook(TypedDict):
    lag: int
    rooms: int

class Category(TypedDict):
    id: str
    serverId: str
    name: str
    position: int
    createdAt: str
    updatedAt: str

class Channel(TypedDict):
    id: str
    serverId: str | None
    kind: Literal['server', 'dm', 'group']
    name: str
    type: Literal['text', 'announcement', 'voice']
    description: str | None
    topic: str | None
    position: int
    categoryId: str | None
    isPrivate: bool
    isArchived: bool
    lastMessageAt: str | None
    lastSeq: int
    createdAt: str
    updatedAt: str
    slowModeSeconds: int
    keepMessagesDays: int | None

class ChannelItem(TypedDict):
    id: str
    serverId: str | None
    kind: Literal['server', 'dm', 'group']
    name: str
    type: Literal['text', 'announcement', 'voice']
    description: str | None
    topic: str | None
    position: int
    categoryId: str | None
    isPrivate: bool
    isArchived: bool
    lastMessageAt: str | None
    lastSeq: int
    createdAt: str
    updatedAt: str
    slowModeSeconds: int
    keepMessagesDays: int | None
    isMember: bool
    unreadCount: int
    unreadThreads: int
    lastReadSeq: int
    lastMessagePreview: str | None
    permissions: list[Literal['message:post', 'channel:announce', 'message:react', 'thread:start', 'file:attach', 'message:mention-all', 'channel:update', 'channel:archive', 'channel:add-member', 'channel:remove-member', 'message:pin', 'message:delete-others', 'thread:manage', 'channel:override', 'channel:delete', 'message:skip-slow-mode']]

class ChannelLevel(TypedDict):
    channelId: str
    level: Literal['all', 'mentions', 'nothing'] | None

class ChannelOverride(TypedDict):
    builtIn: Literal['member', 'moderator'] | None
    roleId: str | None
    userId: str | None
    allow: list[Literal['view', 'post', 'react', 'thread', 'attach', 'mentionAll', 'manage']]
    deny: list[Literal['view', 'post', 'react', 'thread', 'attach', 'mentionAll', 'manage']]

class ClusterNode(TypedDict):
    id: str
    host: str
    pid: int
    version: str
    startedAt: str
    seenAt: str
    isSilent: bool
    isHere: bool
    vitals: Vitals | None

class CommandRule(TypedDict):
    moderators: bool
    roleIds: list[str]
    userIds: list[str]

class Components(TypedDict):
    version: NotRequired[Literal[1] | None]
    items: list[ComponentsItemsItem1 | ComponentsItemsItem2 | ComponentsItemsItem3 | ComponentsItemsItem4]

class ComponentsItemsItem1(TypedDict):
    type: Literal['button']
    id: str
    disabled: NotRequired[bool | None]
    usableBy: NotRequired[ComponentsItemsItem1UsableBy | None]
    uses: NotRequired[Literal['often', 'once', 'oncePerPerson'] | None]
    label: str
    style: NotRequired[Literal['plain', 'primary', 'danger'] | None]

class ComponentsItemsItem1UsableBy(TypedDict):
    role: NotRequired[Literal['owner', 'admin', 'moderator'] | None]
    roleIds: NotRequired[list[str] | None]
    userIds: NotRequired[list[str] | None]

class ComponentsItemsItem2(TypedDict):
    type: Literal['select']
    id: str
    disabled: NotRequired[bool | None]
    usableBy: NotRequired[ComponentsItemsItem2UsableBy | None]
    uses: NotRequired[Literal['often', 'once', 'oncePerPerson'] | None]
    label: str
    options: list[ComponentsItemsItem2OptionsItem]
    min: NotRequired[int | None]
    max: NotRequired[int | None]

class ComponentsItemsItem2OptionsItem(TypedDict):
    value: str
    label: str
    description: NotRequired[str | None]

class ComponentsItemsItem2UsableBy(TypedDict):
    role: NotRequired[Literal['owner', 'admin', 'moderator'] | None]
    roleIds: NotRequired[list[str] | None]
    userIds: NotRequired[list[str] | None]

class ComponentsItemsItem3(TypedDict):
    type: Literal['form']
    id: str
    disabled: NotRequired[bool | None]
    usableBy: NotRequired[ComponentsItemsItem3UsableBy | None]
    uses: NotRequired[Literal['often', 'once', 'oncePerPerson'] | None]
    label: str
    style: NotRequired[Literal['plain', 'primary', 'danger'] | None]
    form: Form

class ComponentsItemsItem3UsableBy(TypedDict):
    role: NotRequired[Literal['owner', 'admin', 'moderator'] | None]
    roleIds: NotRequired[list[str] | None]
    userIds: NotRequired[list[str] | None]

class ComponentsItemsItem4(TypedDict):
    type: Literal['link']
    label: str
    url: str

class CustomStatus(TypedDict):
    emoji: str | None
    text: str | None
    until: str | None

class DeadJob(TypedDict):
    id: str
    kind: str
    attempts: int
    error: str | None
    diedAt: str

class DiscordHook(TypedDict):
    id: str
    type: Literal[1]
    name: str
    avatar: None
    channel_id: str
    guild_id: str
    application_id: None
    token: str

class DiscordMessage(TypedDict):
    id: str
    type: Literal[0]
    content: str
    channel_id: str
    webhook_id: str
    author: DiscordMessageAuthor
    timestamp: str
    edited_timestamp: str | None
    attachments: list[Any]
    embeds: list[Any]
    mentions: list[Any]
    mention_roles: list[Any]
    mention_everyone: Literal[False]
    pinned: Literal[False]
    tts: Literal[False]
    components: list[Any]
    flags: Literal[0]

class DiscordMessageAuthor(TypedDict):
    id: str
    username: str
    avatar: None
    bot: Literal[True]

class Done(TypedDict):
    ok: Literal[True]
    success: Literal[True]

class Draft(TypedDict):
    channelId: str
    threadId: str | None
    content: str
    attachments: list[Attachment]
    replyToId: str | None
    revision: int
    updatedAt: str

class EffectivePolicy(TypedDict):
    mode: Literal['replyAll', 'mentionOnly', 'custom', 'disabled']
    mentionOnly: bool
    reply: bool
    listen: bool
    config: dict[str, Any]

class EmailVerified(TypedDict):
    ok: Literal[True]
    success: Literal[True]
    emailVerifiedAt: str
    takenOver: bool

class Ephemeral(TypedDict):
    id: str
    interactionId: str
    agentId: str
    author: SmallUser
    channelId: str
    threadId: str | None
    replyToId: str | None
    content: str
    createdAt: str
    endsAt: str

class Error(TypedDict):
    ok: Literal[False]
    error: str
    code: str
    requestId: NotRequired[str]
    issues: NotRequired[list[ErrorIssuesItem]]
    retryAfter: NotRequired[float]

class ErrorIssuesItem(TypedDict):
    path: str
    message: str
    code: str

class Excerpt(TypedDict):
    text: str
    marks: list[ExcerptMarksItem]
    of: Literal['message', 'filename', 'file']
    attachmentId: str | None

class ExcerptMarksItem(TypedDict):
    start: int
    end: int

class ExpiringMessages(TypedDict):
    messages: int
    isMore: bool

class Filter(TypedDict):
    id: str
    serverId: str
    kind: Literal['word', 'link']
    pattern: str
    action: Literal['refuse', 'hold', 'flag', 'allow']
    createdBy: str | None
    createdAt: str

class FollowedThread(TypedDict):
    threadId: str
    channelId: str
    serverId: str | None
    state: Literal['following', 'muted', 'none']
    lastReadSeq: int
    lastSeq: int
    unreadCount: int
    lastMessageAt: str | None
    thread: Thread
    channelName: str
    lastReply: FollowedThreadLastReply | None

class FollowedThreadLastReply(TypedDict):
    id: str
    seq: int
    author: SmallUser
    content: str
    createdAt: str

class Form(TypedDict):
    title: str
    fields: list[FormFieldsItem1 | FormFieldsItem2 | FormFieldsItem3 | FormFieldsItem4 | FormFieldsItem5]
    submit: NotRequired[str | None]

class FormFieldsItem1(TypedDict):
    type: Literal['text']
    id: str
    label: str
    hint: NotRequired[str | None]
    required: NotRequired[bool | None]
    multiline: NotRequired[bool | None]
    format: NotRequired[Literal['email', 'url'] | None]
    minLength: NotRequired[int | None]
    maxLength: NotRequired[int | None]
    value: NotRequired[str | None]

class FormFieldsItem2(TypedDict):
    type: Literal['number']
    id: str
    label: str
    hint: NotRequired[str | None]
    required: NotRequired[bool | None]
    min: NotRequired[float | None]
    max: NotRequired[float | None]
    integer: NotRequired[bool | None]
    value: NotRequired[float | None]

class FormFieldsItem3(TypedDict):
    type: Literal['choice']
    id: str
    label: str
    hint: NotRequired[str | None]
    required: NotRequired[bool | None]
    options: list[FormFieldsItem3OptionsItem]
    min: NotRequired[int | None]
    max: NotRequired[int | None]
    value: NotRequired[list[str] | None]

class FormFieldsItem3OptionsItem(TypedDict):
    value: str
    label: str
    description: NotRequired[str | None]

class FormFieldsItem4(TypedDict):
    type: Literal['checkbox']
    id: str
    label: str
    hint: NotRequired[str | None]
    required: NotRequired[bool | None]
    value: NotRequired[bool | None]

class FormFieldsItem5(TypedDict):
    type: Literal['date']
    id: str
    label: str
    hint: NotRequired[str | None]
    required: NotRequired[bool | None]
    value: NotRequired[str | None]

class Forwarded(TypedDict):
    messageId: str
    author: SmallUser
    content: str
    attachments: list[Attachment]
    mentions: list[ForwardedMentionsItem]
    createdAt: str
    isWithdrawn: NotRequired[Literal[True]]

class ForwardedMentionsItem(TypedDict):
    kind: Literal['user', 'channel', 'here', 'everyone']
    targetId: str
    token: str
    label: str
    range: ForwardedMentionsItemRange

class ForwardedMentionsItemRange(TypedDict):
    start: int
    end: int

class FoundFile(TypedDict):
    id: str
    url: str
    filename: str
    contentType: str
    size: int
    width: int | None
    height: int | None
    thumbnailUrl: str | None
    durationMs: int | None
    voice: bool
    waveform: str | None
    isSpoiler: bool
    messageId: str
    channelId: str
    serverId: str | None
    channelName: str | None
    threadId: str | None
    author: SmallUser
    sentAt: str
    excerpt: Excerpt

class FoundMessage(TypedDict):
    id: str
    channelId: str
    dmChannelId: NotRequired[str]
    seq: int
    content: str
    authorId: str
    author: SmallUser
    threadId: str | None
    replyToId: str | None
    replyTo: ReplyPreview | None
    thread: ThreadSummary | None
    attachments: list[Attachment]
    reactions: list[ReactionSummary]
    mentions: list[FoundMessageMentionsItem]
    metadata: dict[str, Any] | None
    nonce: NotRequired[str | None]
    isEdited: bool
    isPinned: bool
    isDeleted: NotRequired[bool]
    createdAt: str
    updatedAt: str
    previews: list[LinkPreview]
    poll: NotRequired[Poll]
    forwarded: NotRequired[Forwarded]
    components: NotRequired[Components]
    answersTo: NotRequired[int]
    serverId: str | None
    channelName: str | None
    excerpt: Excerpt

class FoundMessageMentionsItem(TypedDict):
    kind: Literal['user', 'channel', 'here', 'everyone']
    targetId: str
    token: str
    label: str
    range: FoundMessageMentionsItemRange

class FoundMessageMentionsItemRange(TypedDict):
    start: int
    end: int

class FoundNode(TypedDict):
    id: str
    workspaceId: str
    parentId: str | None
    kind: Literal['dir', 'file']
    name: str
    path: str
    ext: str | None
    mime: str | None
    sizeBytes: int
    version: int
    createdBy: str | None
    createdAt: str
    updatedAt: str
    excerpt: FoundNodeExcerpt

class FoundNodeExcerpt(TypedDict):
    text: str
    marks: list[FoundNodeExcerptMarksItem]
    of: Literal['name', 'content']

class FoundNodeExcerptMarksItem(TypedDict):
    start: int
    end: int

Handover = TypedDict('Handover', {'id': "str", 'kind': "Literal['server', 'agent']", 'serverId': "str | None", 'agentId': "str | None", 'name': "str", 'from': "SmallUser", 'to': "SmallUser", 'createdAt': "str", 'expiresAt': "str"})

class HeldMessage(TypedDict):
    heldId: str
    serverId: str
    channelId: str
    threadId: str | None
    kind: Literal['message', 'edit']
    messageId: str | None
    authorId: str
    author: SmallUser
    content: str
    previousContent: str | None
    replyToId: str | None
    attachments: list[Attachment]
    metadata: NotRequired[dict[str, Any] | None]
    poll: NotRequired[HeldMessagePoll]
    components: NotRequired[Components]
    reason: Literal['filter', 'new-member-link']
    pattern: NotRequired[str | None]
    isOwn: NotRequired[bool]
    status: Literal['waiting', 'approved', 'rejected', 'withdrawn']
    nonce: NotRequired[str | None]
    createdAt: str
    decidedAt: str | None
    forwarded: NotRequired[Forwarded]

class HeldMessagePoll(TypedDict):
    question: str
    options: list[str]
    multiple: NotRequired[bool | None]
    anonymous: NotRequired[bool | None]
    closesAt: NotRequired[str | None]

class Hook(TypedDict):
    id: str
    channelId: str
    serverId: str
    userId: str
    name: str
    avatarUrl: str | None
    format: Literal['auto', 'parley', 'slack', 'discord', 'github', 'gitlab', 'grafana', 'alertmanager']
    isSigned: bool
    createdBy: str | None
    createdByUser: SmallUser | None
    createdAt: str
    lastUsedAt: str | None

class HookAnswer(TypedDict):
    ok: Literal[True]
    success: Literal[True]
    isHeld: bool
    messages: list[Message]

class InstallationOverview(TypedDict):
    version: str
    people: RoughCount
    servers: RoughCount
    messages: RoughCount
    openReports: RoughCount
    deadJobs: RoughCount
    nodes: int
    databaseBytes: int
    tiers: list[InstallationOverviewTiersItem]

class InstallationOverviewTiersItem(TypedDict):
    id: str
    label: str

class InstallationStorage(TypedDict):
    databaseBytes: int
    parts: list[InstallationStoragePartsItem]
    files: list[InstallationStorageFilesItem]

class InstallationStorageFilesItem(TypedDict):
    kind: Literal['attachments', 'workspaces', 'versions', 'apps', 'pictures', 'exports']
    count: int
    bytes: int
    isAbout: bool

class InstallationStoragePartsItem(TypedDict):
    part: Literal['messages', 'search', 'events', 'files', 'other']
    bytes: int

class InstanceBan(TypedDict):
    id: str
    userId: str
    user: SmallUser
    bannedBy: SmallUser | None
    reason: str | None
    until: str | None
    createdAt: str

class Interaction(TypedDict):
    id: str
    kind: Literal['button', 'select', 'form', 'command']
    agentId: str
    user: SmallUser
    serverId: str | None
    channelId: str
    threadId: str | None
    messageId: str | None
    componentId: str | None
    command: InteractionCommand | None
    parentId: str | None
    values: dict[str, str | float | bool | list[str] | None]
    createdAt: str
    endsAt: str

class InteractionCommand(TypedDict):
    name: str
    resolved: InteractionCommandResolved

class InteractionCommandResolved(TypedDict):
    users: dict[str, SmallUser]
    channels: dict[str, InteractionCommandResolvedChannelsValue]
    files: dict[str, Attachment]

class InteractionCommandResolvedChannelsValue(TypedDict):
    id: str
    name: str
    type: str

class JobKind(TypedDict):
    kind: str
    waiting: int
    dead: int
    oldestSeconds: float
    isAbout: bool

class JoinRequest(TypedDict):
    id: str
    serverId: str
    channelId: str | None
    userId: str
    user: SmallUser
    status: Literal['pending', 'approved', 'rejected']
    isHeld: bool
    inviteId: str | None
    createdAt: str
    updatedAt: str

class LaterEntry(TypedDict):
    id: str
    messageId: str | None
    serverId: str | None
    channelId: str | None
    note: str | None
    remindAt: str | None
    remindedAt: str | None
    isDone: bool
    doneAt: str | None
    createdAt: str
    updatedAt: str
    message: Message | None
    isGone: bool

class LinkPreview(TypedDict):
    url: str
    siteName: str | None
    title: str | None
    description: str | None
    imageUrl: str | None
    isLarge: bool

class LogPage(TypedDict):
    events: list[LogPageEventsItem]
    seq: int
    recovered: bool
    hasMore: bool

class LogPageEventsItem(TypedDict):
    seq: int
    event: str
    data: dict[str, Any]

class MailTrial(TypedDict):
    ok: bool
    to: str
    by: Literal['smtp', 'outbox']
    problem: Literal['unknown-host', 'not-reachable', 'timed-out', 'certificate', 'sign-in', 'sender', 'recipient', 'refused', 'outbox', 'other'] | None
    detail: str | None

class Member(TypedDict):
    userId: str
    serverId: str | None
    role: Literal['owner', 'admin', 'moderator', 'member']
    roles: list[str]
    nickname: str | None
    joinedAt: str
    user: MemberUser
    invitedBy: NotRequired[str | None]
    inviteId: NotRequired[str | None]
    agent: MemberAgent | None
    timedOutUntil: NotRequired[str | None]
    timeoutReason: NotRequired[str | None]

class MemberAgent(TypedDict):
    id: str
    ownerId: str
    status: str
    lastHeartbeat: str | None
    kept: bool
    workspaceWrite: bool

class MemberUser(TypedDict):
    id: str
    username: str
    displayName: str
    avatarUrl: str | None
    isBot: bool
    status: Literal['online', 'idle', 'dnd', 'offline']

class Membership(TypedDict):
    status: str
    tier: MembershipTier
    level: float
    isMember: bool
    capabilities: list[str]

class MembershipTier(TypedDict):
    id: str
    level: float
    label: str
    capabilities: list[str]

class Message(TypedDict):
    id: str
    channelId: str
    dmChannelId: NotRequired[str]
    seq: int
    content: str
    authorId: str
    author: SmallUser
    threadId: str | None
    replyToId: str | None
    replyTo: ReplyPreview | None
    thread: ThreadSummary | None
    attachments: list[Attachment]
    reactions: list[ReactionSummary]
    mentions: list[MessageMentionsItem]
    metadata: dict[str, Any] | None
    nonce: NotRequired[str | None]
    isEdited: bool
    isPinned: bool
    isDeleted: NotRequired[bool]
    createdAt: str
    updatedAt: str
    previews: list[LinkPreview]
    poll: NotRequired[Poll]
    forwarded: NotRequired[Forwarded]
    components: NotRequired[Components]
    answersTo: NotRequired[int]

class MessageMentionsItem(TypedDict):
    kind: Literal['user', 'channel', 'here', 'everyone']
    targetId: str
    token: str
    label: str
    range: MessageMentionsItemRange

class MessageMentionsItemRange(TypedDict):
    start: int
    end: int

class MessagePage(TypedDict):
    messages: list[Message]
    hasMore: bool
    hasNewer: NotRequired[bool]

class MessagePreview(TypedDict):
    id: str
    channelId: str
    threadId: str | None
    channelName: str | None
    serverId: str | None
    serverName: str | None
    author: SmallUser
    content: str
    isCut: bool
    mentions: list[MessagePreviewMentionsItem]
    attachmentCount: int
    isForwarded: bool
    createdAt: str

class MessagePreviewMentionsItem(TypedDict):
    kind: Literal['user', 'channel', 'here', 'everyone']
    targetId: str
    token: str
    label: str
    range: MessagePreviewMentionsItemRange

class MessagePreviewMentionsItemRange(TypedDict):
    start: int
    end: int

class MessageVersion(TypedDict):
    version: int
    content: str
    editedAt: str

class MintedModelToken(TypedDict):
    id: str
    runtimeId: str
    templateSlug: str | None
    models: list[str] | None
    expiresAt: str
    createdAt: str
    token: str | None

class ModelToken(TypedDict):
    id: str
    runtimeId: str
    templateSlug: str | None
    models: list[str] | None
    expiresAt: str
    createdAt: str

class ModelUsage(TypedDict):
    items: list[ModelUsageItemsItem]
    total: ModelUsageTotal

class ModelUsageItemsItem(TypedDict):
    day: str
    tokenId: str | None
    model: str
    requests: int
    promptTokens: int
    completionTokens: int

class ModelUsageTotal(TypedDict):
    requests: int
    promptTokens: int
    completionTokens: int

class NewOAuthApp(TypedDict):
    id: str
    clientId: str
    name: str
    website: str | None
    redirectUris: list[str]
    confidential: bool
    createdAt: str
    updatedAt: str
    clientSecret: str | None

class NotificationSettings(TypedDict):
    strategy: Literal['all', 'mention_only', 'none']
    mutedServerIds: list[str]
    mutedChannelIds: list[str]
    channelLevels: dict[str, Literal['all', 'mentions']]
    serverLevels: dict[str, Literal['all', 'mentions']]
    mutedUntil: dict[str, str]
    keywords: list[str]
    quietHours: QuietHours
    snoozedUntil: str | None
    digestMinutes: Literal[0, 15, 60, 240, 1440] | None
    digestDefaultMinutes: int | None

class OAuthAccount(TypedDict):
    id: str
    provider: str
    providerEmail: str | None
    createdAt: str

class OAuthApp(TypedDict):
    id: str
    clientId: str
    name: str
    website: str | None
    redirectUris: list[str]
    confidential: bool
    createdAt: str
    updatedAt: str

class OAuthConsent(TypedDict):
    app: OAuthConsentApp
    scopes: list[str]
    isGrave: bool
    redirectHost: str
    refusedTo: str | None
    problem: str | None

class OAuthConsentApp(TypedDict):
    id: str
    name: str
    website: str | None
    isSelfRegistered: bool

class OAuthDevice(TypedDict):
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int

class OAuthDeviceConsent(TypedDict):
    app: OAuthDeviceConsentApp
    scopes: list[str]
    isGrave: bool

class OAuthDeviceConsentApp(TypedDict):
    id: str
    name: str
    website: str | None
    isSelfRegistered: bool

class OAuthIntrospection(TypedDict):
    active: bool
    scope: NotRequired[str]
    client_id: NotRequired[str]
    username: NotRequired[str]
    sub: NotRequired[str]
    token_type: NotRequired[Literal['Bearer']]
    iat: NotRequired[int]
    exp: NotRequired[int]

class OAuthKeys(TypedDict):
    keys: list[OAuthKeysKeysItem]

class OAuthKeysKeysItem(TypedDict):
    kty: Literal['RSA']
    n: str
    e: str
    kid: str
    alg: Literal['RS256']
    use: Literal['sig']

class OAuthMetadata(TypedDict):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    revocation_endpoint: str
    introspection_endpoint: str
    device_authorization_endpoint: str
    registration_endpoint: NotRequired[str]
    userinfo_endpoint: str
    jwks_uri: str
    scopes_supported: list[str]
    response_types_supported: list[str]
    response_modes_supported: list[str]
    grant_types_supported: list[str]
    code_challenge_methods_supported: list[str]
    token_endpoint_auth_methods_supported: list[str]
    revocation_endpoint_auth_methods_supported: list[str]
    introspection_endpoint_auth_methods_supported: list[str]
    authorization_response_iss_parameter_supported: Literal[True]
    subject_types_supported: list[str]
    id_token_signing_alg_values_supported: list[str]
    claims_supported: list[str]
    service_documentation: str

class OAuthProvider(TypedDict):
    provider: str
    name: str

class OAuthRegistration(TypedDict):
    client_id: str
    client_id_issued_at: int
    client_name: str
    client_uri: NotRequired[str]
    redirect_uris: list[str]
    grant_types: list[str]
    response_types: list[str]
    token_endpoint_auth_method: Literal['none']

class OAuthResource(TypedDict):
    resource: str
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]
    resource_name: str

class OAuthTokens(TypedDict):
    access_token: str
    token_type: Literal['Bearer']
    expires_in: int
    refresh_token: str
    scope: str
    id_token: NotRequired[str]

class OAuthUser(TypedDict):
    sub: str
    name: NotRequired[str]
    preferred_username: NotRequired[str]
    picture: NotRequired[str]
    email: NotRequired[str]
    email_verified: NotRequired[bool]

class OneChannel(TypedDict):
    id: str
    serverId: str | None
    kind: Literal['server', 'dm', 'group']
    name: str
    type: Literal['text', 'announcement', 'voice']
    description: str | None
    topic: str | None
    position: int
    categoryId: str | None
    isPrivate: bool
    isArchived: bool
    lastMessageAt: str | None
    lastSeq: int
    createdAt: str
    updatedAt: str
    slowModeSeconds: int
    keepMessagesDays: int | None
    isMember: bool
    unreadCount: int
    unreadThreads: int
    lastReadSeq: int
    lastMessagePreview: str | None
    permissions: list[Literal['message:post', 'channel:announce', 'message:react', 'thread:start', 'file:attach', 'message:mention-all', 'channel:update', 'channel:archive', 'channel:add-member', 'channel:remove-member', 'message:pin', 'message:delete-others', 'thread:manage', 'channel:override', 'channel:delete', 'message:skip-slow-mode']]
    userAId: NotRequired[str]
    userBId: NotRequired[str]
    otherUser: NotRequired[SmallUser]
    members: NotRequired[list[SmallUser]]

class OpenStream(TypedDict):
    channelId: str
    threadId: str | None
    streamId: str
    userId: str
    author: SmallUser
    replyToId: str | None
    content: str
    length: int
    startedAt: str

class OperatedServer(TypedDict):
    id: str
    name: str
    slug: str | None
    isPublic: bool
    owner: SmallUser
    members: int
    messages: RoughCount
    filesBytes: int
    attachments: OperatedServerAttachments
    createdAt: str

class OperatedServerAttachments(TypedDict):
    bytes: int
    isAbout: bool

class OperatedUser(TypedDict):
    id: str
    username: str
    displayName: str
    avatarUrl: str | None
    isBot: bool
    email: str | None
    verified: bool
    tier: str
    createdAt: str
    suspended: bool
    isOperator: bool
    deletesAt: str | None
    sessions: int

class OwnReport(TypedDict):
    id: str
    kind: Literal['message', 'user', 'server', 'app']
    objectId: str
    serverId: str | None
    category: Literal['spam', 'harassment', 'hate', 'sexual', 'violence', 'self-harm', 'illegal', 'impersonation', 'other']
    text: str | None
    createdAt: str

class OwnUser(TypedDict):
    id: str
    username: str
    displayName: str
    avatarUrl: str | None
    isBot: bool
    email: str | None
    emailVerifiedAt: str | None
    secondFactor: Literal['none', 'active', 'required']
    status: str
    membership: Membership
    createdAt: str
    language: Literal['en', 'de', 'es', 'fr', 'ja', 'ar'] | None
    timeZone: str | None
    hourCycle: Literal['h12', 'h23'] | None
    theme: Literal['light', 'dark', 'contrast'] | None
    agentId: NotRequired[str]
    customStatus: NotRequired[CustomStatus | None]

class Passkey(TypedDict):
    id: str
    name: str
    createdAt: str
    lastUsedAt: str | None

class PasskeyCreation(TypedDict):
    challenge: str
    timeout: int
    rp: PasskeyCreationRp
    user: PasskeyCreationUser
    pubKeyCredParams: list[PasskeyCreationPubKeyCredParamsItem]
    excludeCredentials: list[PasskeyCreationExcludeCredentialsItem]
    authenticatorSelection: PasskeyCreationAuthenticatorSelection
    attestation: Literal['none']

class PasskeyCreationAuthenticatorSelection(TypedDict):
    residentKey: Literal['required', 'preferred']
    userVerification: Literal['required', 'preferred']

class PasskeyCreationExcludeCredentialsItem(TypedDict):
    id: str
    type: Literal['public-key']
    transports: list[str]

class PasskeyCreationPubKeyCredParamsItem(TypedDict):
    alg: int
    type: Literal['public-key']

class PasskeyCreationRp(TypedDict):
    id: str
    name: str

class PasskeyCreationUser(TypedDict):
    id: str
    name: str
    displayName: str

class PasskeyRequest(TypedDict):
    challenge: str
    timeout: int
    rpId: str
    allowCredentials: list[PasskeyRequestAllowCredentialsItem]
    userVerification: Literal['required', 'preferred']

class PasskeyRequestAllowCredentialsItem(TypedDict):
    id: str
    type: Literal['public-key']
    transports: list[str]

class PasswordChanged(TypedDict):
    ok: Literal[True]
    success: Literal[True]
    remaining: PasswordChangedRemaining

class PasswordChangedRemaining(TypedDict):
    personalTokens: float
    agentTokens: float
    modelTokens: float
    linkedAccounts: float
    passkeys: float
    webhooks: float

class PersonalToken(TypedDict):
    id: str
    name: str
    scope: str
    scopes: list[Literal['user:read', 'user:write', 'messages:read', 'messages:write', 'servers:read', 'servers:write', 'workspace:read', 'workspace:write', 'agents:read', 'agents:write', 'account:read', 'account:write']]
    createdAt: str
    expiresAt: str | None
    lastUsedAt: str | None

class Picture(TypedDict):
    url: str
    smallUrl: str
    contentType: Literal['image/webp']
    size: int
    width: int
    height: int
    isAnimated: bool

class PolicyHalf(TypedDict):
    mode: Literal['replyAll', 'mentionOnly', 'custom', 'disabled']
    mentionOnly: bool
    reply: bool
    listen: bool
    config: dict[str, Any]

class Poll(TypedDict):
    question: str
    options: list[PollOptionsItem]
    multiple: bool
    anonymous: bool
    voterCount: int
    closesAt: str | None
    closedAt: str | None

class PollOptionsItem(TypedDict):
    id: int
    count: int
    text: str

class Possession(TypedDict):
    id: str
    name: str
    goes: Literal['deleted', 'offered']
    to: NotRequired[SmallUser]

class Profile(TypedDict):
    id: str
    username: str
    displayName: str
    avatarUrl: str | None
    isBot: bool
    agent: NotRequired[ProfileAgent]
    customStatus: NotRequired[CustomStatus | None]

class ProfileAgent(TypedDict):
    id: str
    ownerId: str
    status: str
    lastHeartbeat: str | None

class PushSubscription(TypedDict):
    endpoint: str
    sessionId: str
    createdAt: str

class PushTrial(TypedDict):
    sessionId: str
    device: str | None
    outcome: Literal['sent', 'gone', 'outdated', 'refused', 'failed']
    detail: str | None

class QuietHours(TypedDict):
    isOn: bool
    spans: list[QuietHoursSpansItem]

QuietHoursSpansItem = TypedDict('QuietHoursSpansItem', {'day': "int", 'from': "str", 'to': "str"})

class Raid(TypedDict):
    serverId: str
    mode: Literal['off', 'auto', 'on']
    joins: int
    seconds: int
    minutes: int
    isOn: bool
    since: str | None
    until: str | None

class ReactionSummary(TypedDict):
    emoji: str
    emojiId: NotRequired[str]
    count: int
    users: list[str]
    userIds: list[str]

class ReadReceipts(TypedDict):
    channelId: str
    isOffered: bool
    receipts: list[ReadReceiptsReceiptsItem]

class ReadReceiptsReceiptsItem(TypedDict):
    userId: str
    lastReadSeq: int

class Rehearsal(TypedDict):
    id: str
    agentId: str
    name: str
    state: Literal['running', 'ended']
    since: str
    createdAt: str
    endsAt: str
    rooms: int
    playedRooms: int
    captured: int

class RehearsalDifference(TypedDict):
    channelId: str
    threadId: str | None
    answersTo: int | None
    kind: Literal['same', 'changed', 'missing', 'added']
    before: RehearsalDifferenceBefore | None
    after: RehearsalDifferenceAfter | None

class RehearsalDifferenceAfter(TypedDict):
    messageId: str
    content: str
    createdAt: str

class RehearsalDifferenceBefore(TypedDict):
    messageId: str
    content: str
    createdAt: str

class ReplyPreview(TypedDict):
    id: str
    authorId: str
    content: str
    deleted: bool

class ReportCase(TypedDict):
    id: str
    kind: Literal['message', 'user', 'server', 'app']
    serverId: str | None
    objectId: str
    channelId: str | None
    about: SmallUser | None
    title: str
    categories: list[Literal['spam', 'harassment', 'hate', 'sexual', 'violence', 'self-harm', 'illegal', 'impersonation', 'other', 'filter']]
    reportCount: int
    toOperators: bool
    status: Literal['open', 'decided']
    createdAt: str
    updatedAt: str
    decidedAt: str | None
    decidedBy: SmallUser | None
    action: Literal['dismiss', 'delete', 'timeout', 'kick', 'ban', 'suspend'] | None
    reason: str | None

class ReportDetail(TypedDict):
    id: str
    kind: Literal['message', 'user', 'server', 'app']
    serverId: str | None
    objectId: str
    channelId: str | None
    about: SmallUser | None
    title: str
    categories: list[Literal['spam', 'harassment', 'hate', 'sexual', 'violence', 'self-harm', 'illegal', 'impersonation', 'other', 'filter']]
    reportCount: int
    toOperators: bool
    status: Literal['open', 'decided']
    createdAt: str
    updatedAt: str
    decidedAt: str | None
    decidedBy: SmallUser | None
    action: Literal['dismiss', 'delete', 'timeout', 'kick', 'ban', 'suspend'] | None
    reason: str | None
    snapshot: ReportDetailSnapshot | None
    current: str | None
    reports: list[ReportDetailReportsItem]
    earlier: list[ReportCase]

class ReportDetailReportsItem(TypedDict):
    id: str
    reporter: SmallUser | None
    category: Literal['spam', 'harassment', 'hate', 'sexual', 'violence', 'self-harm', 'illegal', 'impersonation', 'other', 'filter']
    text: str | None
    createdAt: str

class ReportDetailSnapshot(TypedDict):
    name: str | None
    description: str | None
    messages: list[ReportDetailSnapshotMessagesItem]

class ReportDetailSnapshotMessagesItem(TypedDict):
    id: str
    authorId: str
    author: SmallUser | None
    content: str
    attachments: list[str]
    createdAt: str
    reported: bool

class Role(TypedDict):
    id: str
    builtIn: bool
    name: str
    color: str | None
    position: int
    permissions: list[Literal['server:update', 'server:delete', 'server:hand-over', 'server:regenerate-invite', 'server:invite', 'server:raid', 'invite:create', 'invite:manage', 'join-request:decide', 'role:manage', 'member:set-role', 'member:kick', 'member:ban', 'member:timeout', 'member:delete-messages', 'report:decide', 'audit:read', 'filter:manage', 'held:decide', 'retention:set', 'emoji:manage', 'history:read', 'channel:create', 'channel:update', 'channel:delete', 'channel:archive', 'channel:order', 'channel:override', 'channel:view', 'channel:see-private', 'channel:add-member', 'channel:remove-member', 'channel:announce', 'message:post', 'message:react', 'message:delete-others', 'message:pin', 'message:mention-all', 'message:skip-slow-mode', 'message:skip-filters', 'file:attach', 'thread:start', 'thread:manage', 'app:manage', 'app:see-all', 'bot:set-policy', 'bot:keep', 'bot:set-rights']]

class RoughCount(TypedDict):
    count: int
    isAbout: bool

class SavedItem(TypedDict):
    id: str
    messageId: str | None
    serverId: str | None
    channelId: str | None
    note: str | None
    remindAt: str | None
    remindedAt: str | None
    isDone: bool
    doneAt: str | None
    createdAt: str
    updatedAt: str

class ScheduledMessage(TypedDict):
    id: str
    serverId: str | None
    channelId: str
    threadId: str | None
    replyToId: str | None
    content: str
    attachments: list[Attachment]
    metadata: dict[str, Any] | None
    sendAt: str
    status: Literal['waiting', 'sending', 'failed']
    failure: ScheduledMessageFailure | None
    createdAt: str
    updatedAt: str

class ScheduledMessageFailure(TypedDict):
    code: str
    message: str

class SearchOverview(TypedDict):
    people: list[SmallUser]
    channels: list[SearchOverviewChannelsItem]
    files: list[FoundFile]

class SearchOverviewChannelsItem(TypedDict):
    id: str
    serverId: str | None
    name: str

class SecondFactor(TypedDict):
    required: bool
    totp: SecondFactorTotp | None
    passkeys: list[Passkey]
    recoveryCodes: int

class SecondFactorTotp(TypedDict):
    createdAt: str

class Server(TypedDict):
    id: str
    name: str
    slug: str | None
    description: str | None
    iconUrl: str | None
    bannerUrl: str | None
    homepageHtml: str | None
    mark: str | None
    accentColor: str | None
    isPublic: bool
    ownerId: NotRequired[str]
    inviteCode: NotRequired[str]
    memberCount: int
    requireSecondFactor: bool
    rolesVersion: int
    emojiVersion: int
    categoriesVersion: int
    role: Literal['owner', 'admin', 'moderator', 'member'] | None
    permissions: NotRequired[list[Literal['server:update', 'server:delete', 'server:hand-over', 'server:regenerate-invite', 'server:invite', 'server:raid', 'invite:create', 'invite:manage', 'join-request:decide', 'role:manage', 'member:set-role', 'member:kick', 'member:ban', 'member:timeout', 'member:delete-messages', 'report:decide', 'audit:read', 'filter:manage', 'held:decide', 'retention:set', 'emoji:manage', 'history:read', 'channel:create', 'channel:update', 'channel:delete', 'channel:archive', 'channel:order', 'channel:override', 'channel:view', 'channel:see-private', 'channel:add-member', 'channel:remove-member', 'channel:announce', 'message:post', 'message:react', 'message:delete-others', 'message:pin', 'message:mention-all', 'message:skip-slow-mode', 'message:skip-filters', 'file:attach', 'thread:start', 'thread:manage', 'app:manage', 'app:see-all', 'bot:set-policy', 'bot:keep', 'bot:set-rights']]]
    createdAt: str
    updatedAt: str
    holdNewMemberLinksHours: int
    keepMessagesDays: int | None
    keepEditHistory: bool
    linkPreviews: bool

class ServerEmoji(TypedDict):
    id: str
    serverId: str
    name: str
    url: str
    smallUrl: str
    isAnimated: bool
    createdBy: str | None
    createdAt: str

class ServerInvite(TypedDict):
    id: str
    serverId: str
    inviteCode: NotRequired[str]
    channelId: str | None
    createdBy: str | None
    createdByUser: SmallUser | None
    maxUses: int | None
    uses: int
    expiresAt: str | None
    revokedAt: str | None
    isOpen: bool
    createdAt: str

class ServerLevel(TypedDict):
    serverId: str
    level: Literal['all', 'mentions', 'nothing'] | None

class ServerOAuthApp(TypedDict):
    app: ServerOAuthAppApp
    scopes: list[str]
    members: int

class ServerOAuthAppApp(TypedDict):
    id: str
    name: str
    website: str | None
    isSelfRegistered: bool

class SettingInForce(TypedDict):
    name: str
    source: Literal['default', 'file', 'environment', 'program']
    file: str | None
    value: str | None
    isSecret: bool
    isSet: bool
    about: str

class SmallUser(TypedDict):
    id: str
    username: str
    displayName: str
    avatarUrl: str | None
    isBot: bool

class Storage(TypedDict):
    usedBytes: int
    quotaBytes: int
    leftBytes: int
    fileBytes: int
    kinds: list[StorageKindsItem]

class StorageKindsItem(TypedDict):
    kind: Literal['messages', 'pictures', 'workspaces', 'apps']
    bytes: int
    files: int

class Thread(TypedDict):
    id: str
    channelId: str
    name: str
    parentMessageId: str
    creatorId: str
    isArchived: bool
    messageCount: int
    lastMessageAt: str | None
    createdAt: str
    updatedAt: str

class ThreadInbox(TypedDict):
    threads: list[FollowedThread]
    unreadThreads: int
    cursor: str | None

class ThreadState(TypedDict):
    threadId: str
    channelId: str
    serverId: str | None
    state: Literal['following', 'muted', 'none']
    lastReadSeq: int
    lastSeq: int
    unreadCount: int
    lastMessageAt: str | None

class ThreadSummary(TypedDict):
    id: str
    name: str
    messageCount: int
    lastMessageAt: str | None

class UnreadThread(TypedDict):
    threadId: str
    channelId: str
    serverId: str | None
    state: Literal['following', 'muted', 'none']
    lastReadSeq: int
    lastSeq: int
    unreadCount: int
    lastMessageAt: str | None
    parentMessageId: str

class Use(TypedDict):
    id: str
    kind: Literal['button', 'select', 'form', 'command']
    agentId: str
    channelId: str
    threadId: str | None
    messageId: str | None
    componentId: str | None
    parentId: str | None
    state: Literal['waiting', 'working', 'answered']
    note: str | None
    form: Form | None
    createdAt: str
    updatedAt: str
    endsAt: str

class Vitals(TypedDict):
    at: int
    sockets: float
    messagesPerSecond: float
    requestsPerSecond: float
    requestP95Ms: float
    errorsPerMinute: float
    eventLoopMs: float
    lagEvents: float
    memoryBytes: float
    cpuPercent: float

class Webhook(TypedDict):
    agentId: str
    url: str
    state: Literal['active', 'failing', 'dead', 'gone', 'paused']
    failingSince: str | None
    stoppedAt: str | None
    lastError: str | None
    lastErrorAt: str | None
    lastDeliveredAt: str | None
    pending: int
    failing: list[WebhookFailingItem]
    previousSecretUntil: str | None
    createdAt: str
    updatedAt: str

class WebhookFailingItem(TypedDict):
    room: str
    seq: int
    attempts: int
    error: str | None
    since: str
    nextAttemptAt: str

class Workspace(TypedDict):
    id: str
    serverId: str
    name: str
    createdAt: str
    updatedAt: str
    folderCount: int
    fileCount: int
    totalCount: int
    totalBytes: int
    versionBytes: int
    quotaBytes: int
    maxFileBytes: int

class WorkspaceFile(TypedDict):
    id: str
    workspaceId: str
    parentId: str | None
    kind: Literal['dir', 'file']
    name: str
    path: str
    ext: str | None
    mime: str | None
    sizeBytes: int
    version: int
    createdBy: str | None
    createdAt: str
    updatedAt: str
    content: str | None

class WorkspaceFileVersion(TypedDict):
    fileId: str
    version: int
    isCurrent: bool
    sizeBytes: int
    mime: str | None
    isText: bool
    savedBy: SmallUser | None
    savedAt: str
    keptUntil: str | None

class WorkspaceNode(TypedDict):
    id: str
    workspaceId: str
    parentId: str | None
    kind: Literal['dir', 'file']
    name: str
    path: str
    ext: str | None
    mime: str | None
    sizeBytes: int
    version: int
    createdBy: str | None
    createdAt: str
    updatedAt: str

class WorkspaceTreeNode(TypedDict):
    id: str
    workspaceId: str
    parentId: str | None
    kind: Literal['dir', 'file']
    name: str
    path: str
    ext: str | None
    mime: str | None
    sizeBytes: int
    version: int
    createdBy: str | None
    createdAt: str
    updatedAt: str
    children: NotRequired[list[WorkspaceTreeNode]]
