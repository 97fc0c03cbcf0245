import type { Capabilities } from '../access/capabilities.ts';
import type { ChannelAccess } from '../access/channel.access.ts';
import type { ServerAccess } from '../access/server.access.ts';
import type { ThreadAccess } from '../access/thread.access.ts';
import type { Caches } from '../cluster/caches.ts';
import { Chores } from '../cluster/chores.ts';
import type { Control } from '../cluster/control.ts';
import type { StatusReader } from '../contract/status.ts';
import type { Database } from '../database/database.ts';
import type { Changes } from '../delivery/changes.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Ephemeral } from '../delivery/ephemeral.ts';
import type { Writer } from '../delivery/writer.ts';
import type { StorageAllowance } from '../features/blobs/allowance.ts';
import type { BlobStore } from '../features/blobs/blob.store.ts';
import { BootstrapService } from '../features/bootstrap/bootstrap.service.ts';
import { ChannelService } from '../features/channels/channel.service.ts';
import { ChannelMemberService } from '../features/channels/channel-member.service.ts';
import { ReadStateService } from '../features/channels/read-state.service.ts';
import { JoinRequestService } from '../features/join-requests/join-request.service.ts';
import { MediaService } from '../features/media/media.service.ts';
import { Audience } from '../features/members/audience.ts';
import { Roster } from '../features/members/roster.ts';
import { MentionService } from '../features/mentions/mention.service.ts';
import type { CommandDirectory } from '../features/messages/command-directory.ts';
import type { LoopGuard } from '../features/messages/loop-guard.ts';
import type { MessageAccess } from '../features/messages/message.access.ts';
import { MessageComposer } from '../features/messages/message.composer.ts';
import { MessageService } from '../features/messages/message.service.ts';
import type { NewMessage } from '../features/messages/message.table.ts';
import type { MessageRecord } from '../features/messages/message.view.ts';
import { PinService } from '../features/messages/pin.service.ts';
import { ReactionService } from '../features/reactions/reaction.service.ts';
import { SearchService } from '../features/search/search.service.ts';
import { BanService } from '../features/servers/ban.service.ts';
import { InviteCodes } from '../features/servers/invite-code.ts';
import { MemberService } from '../features/servers/member.service.ts';
import { ServerService } from '../features/servers/server.service.ts';
import { ThreadService } from '../features/threads/thread.service.ts';
import type { Log } from '../infrastructure/log.ts';
import type { SignedLinks } from '../infrastructure/signed-links.ts';
import type { NotificationQueue } from '../jobs/notification.jobs.ts';
import type { Settings } from '../settings/settings.ts';

/** Servers, channels, and what is said in them. */
export function createCommunity(foundation: {
  settings: Settings;
  log: Log;
  database: Database;
  delivery: Delivery;
  caches: Caches;
  changes: Changes;
  control: Control;
  ephemeral: Ephemeral;
  writer: Writer<NewMessage, MessageRecord>;
  capabilities: Capabilities;
  serverAccess: ServerAccess;
  channelAccess: ChannelAccess;
  messageAccess: MessageAccess;
  threadAccess: ThreadAccess;
  notifications: NotificationQueue;
  statuses: StatusReader;
  blobs: BlobStore;
  allowance: StorageAllowance;
  links: SignedLinks;
  loopGuard: LoopGuard;
  commands: CommandDirectory;
}) {
  const chores = new Chores(foundation.database, foundation.log);
  const audience = new Audience(foundation.notifications);
  const roster = new Roster({ ...foundation, audience });
  const channels = new ChannelService({ ...foundation, chores, audience });
  const channelMembers = new ChannelMemberService(foundation);
  const inviteCodes = new InviteCodes({ ...foundation, audience });
  const servers = new ServerService({ ...foundation, chores, channels, audience, roster, inviteCodes });
  const mentions = new MentionService(foundation);
  const composer = new MessageComposer({ ...foundation, mentions });
  const messages = new MessageService({ ...foundation, composer, mentions });
  const joinRequests = new JoinRequestService({ ...foundation, roster, channelMembers });
  const withMessages = { ...foundation, chores, messages };
  return {
    audience,
    chores,
    roster,
    servers,
    members: new MemberService({ ...foundation, audience, roster, inviteCodes, channelMembers }),
    bans: new BanService({ ...foundation, roster, inviteCodes }),
    channels,
    channelMembers,
    readStates: new ReadStateService(foundation),
    joinRequests,
    mentions,
    messages,
    pins: new PinService(foundation),
    reactions: new ReactionService(foundation),
    threads: new ThreadService(withMessages),
    search: new SearchService(foundation),
    bootstrap: new BootstrapService({ ...withMessages, joinRequests, servers, channels, channelMembers }),
    media: new MediaService({ ...withMessages, maxBytes: foundation.settings.limits.attachmentBytes }),
  };
}
