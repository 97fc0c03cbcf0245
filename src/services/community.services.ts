import type { Capabilities } from '../access/capabilities.ts';
import type { CommandDirectory } from '../agents/command-directory.ts';
import type { LoopGuard } from '../agents/loop-guard.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import { BootstrapService } from '../channels/bootstrap.service.ts';
import type { ChannelAccess } from '../channels/channel.access.ts';
import { ChannelService } from '../channels/channel.service.ts';
import { ChannelMemberService } from '../channels/channel-member.service.ts';
import { ReadStateService } from '../channels/read-state.service.ts';
import type { Database } from '../database/database.ts';
import type { Caches } from '../delivery/caches.ts';
import type { Changes } from '../delivery/changes.ts';
import type { Control } from '../delivery/control.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Ephemeral } from '../delivery/ephemeral.ts';
import type { Writer } from '../delivery/writer.ts';
import { Chores } from '../infrastructure/chores.ts';
import type { Log } from '../infrastructure/log.ts';
import type { SignedLinks } from '../infrastructure/signed-links.ts';
import { JoinRequestService } from '../join-requests/join-request.service.ts';
import { MediaService } from '../media/media.service.ts';
import { MentionService } from '../mentions/mention.service.ts';
import type { MessageAccess } from '../messages/message.access.ts';
import { MessageComposer } from '../messages/message.composer.ts';
import { MessageService } from '../messages/message.service.ts';
import type { NewMessage } from '../messages/message.table.ts';
import type { MessageRecord } from '../messages/message.view.ts';
import { PinService } from '../messages/pin.service.ts';
import type { NotificationQueue } from '../notifications/notification.jobs.ts';
import type { StatusReader } from '../presence/status.ts';
import { ReactionService } from '../reactions/reaction.service.ts';
import { SearchService } from '../search/search.service.ts';
import { Audience } from '../servers/audience.ts';
import { BanService } from '../servers/ban.service.ts';
import { InviteCodes } from '../servers/invite-code.ts';
import { MemberService } from '../servers/member.service.ts';
import { Roster } from '../servers/roster.ts';
import type { ServerAccess } from '../servers/server.access.ts';
import { ServerService } from '../servers/server.service.ts';
import type { Settings } from '../settings.ts';
import type { ThreadAccess } from '../threads/thread.access.ts';
import { ThreadService } from '../threads/thread.service.ts';

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
