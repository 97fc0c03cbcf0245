import type { Capabilities } from '../access/capabilities.ts';
import type { ChannelAccess } from '../access/channel.access.ts';
import type { DirectAccess } from '../access/direct.access.ts';
import type { ServerAccess } from '../access/server.access.ts';
import type { Database } from '../database/database.ts';
import type { Changes } from '../delivery/changes.ts';
import type { Ephemeral } from '../delivery/ephemeral.ts';
import { DirectActivity } from '../features/direct/direct.activity.ts';
import { DirectService } from '../features/direct/direct.service.ts';
import { BlockService } from '../features/friends/block.service.ts';
import { FriendService } from '../features/friends/friend.service.ts';
import { InviteService } from '../features/invites/invite.service.ts';
import type { Audience } from '../features/members/audience.ts';
import type { MessageService } from '../features/messages/message.service.ts';
import { NotificationMaker } from '../features/notifications/notification.maker.ts';
import { NotificationService } from '../features/notifications/notification.service.ts';
import { NotificationWorker } from '../features/notifications/notification.worker.ts';
import type { PresenceDirectory } from '../features/presence/directory.ts';
import { Presence } from '../features/presence/presence.ts';
import type { Log } from '../infrastructure/log.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';
import type { NotificationQueue } from '../jobs/notification.jobs.ts';
import type { Settings } from '../settings/settings.ts';

/** What people are to each other: friends, DMs, invite codes, and what they are told of. */
export function createPeople(parts: {
  settings: Settings;
  log: Log;
  database: Database;
  changes: Changes;
  capabilities: Capabilities;
  channelAccess: ChannelAccess;
  serverAccess: ServerAccess;
  directAccess: DirectAccess;
  messages: MessageService;
  audience: Audience;
  notifications: NotificationQueue;
  ephemeral: Ephemeral;
  redis: RedisConnections | null;
  nodeId: string;
  directory: PresenceDirectory;
}) {
  const { database, changes, capabilities, channelAccess, directAccess, messages, notifications, log } = parts;
  const followed = parts.settings.sockets.followedDms;
  const friends = new FriendService({ database, changes, notifications });
  const direct = new DirectService({ database, changes, channelAccess, messages, followed });
  const presence = new Presence(parts);
  const online = presence.service;
  const activity = new DirectActivity({ direct, queue: notifications, followed });
  changes.alongside = (change, entries) => activity.note(change, entries);
  const maker = new NotificationMaker({ direct: activity, online, audience: parts.audience });
  const notificationWorker = new NotificationWorker({ changes, queue: notifications, maker, log });
  const services = {
    invites: new InviteService({ database, changes, capabilities }),
    friends,
    blocks: new BlockService({ database, changes, friends, directAccess }),
    direct,
    notifications: new NotificationService({ database, changes }),
    presence: presence.service,
  };
  return { services, notificationWorker, presence };
}
