import type { z } from 'zod';
import type { ChannelAccess } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import type { bootstrapSchema } from '../../contract/bootstrap.ts';
import { AppError } from '../../contract/errors.ts';
import type { ListPage } from '../../contract/schema/list-page.ts';
import type { ChannelService } from '../channels/channel.service.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import type { JoinRequestService } from '../join-requests/join-request.service.ts';
import type { MemberRecord } from '../members/server.view.ts';
import type { MessageService } from '../messages/message.service.ts';
import type { ServerService } from '../servers/server.service.ts';

/** So many members are shown at first. */
const shownMembers = 100;

/** A bot that is barred from all channels sees no members. */
function hidden(error: unknown): ListPage<MemberRecord> {
  if (error instanceof AppError && error.code === 'FORBIDDEN') return { records: [], hasMore: false };
  throw error;
}

/** All that a client shows when a channel is opened, in one call (contract §12). */
export class BootstrapService {
  private readonly access: ChannelAccess;
  private readonly requests: JoinRequestService;
  private readonly servers: ServerService;
  private readonly channels: ChannelService;
  private readonly members: ChannelMemberService;
  private readonly messages: MessageService;

  constructor(parts: {
    channelAccess: ChannelAccess;
    joinRequests: JoinRequestService;
    servers: ServerService;
    channels: ChannelService;
    channelMembers: ChannelMemberService;
    messages: MessageService;
  }) {
    this.access = parts.channelAccess;
    this.requests = parts.joinRequests;
    this.servers = parts.servers;
    this.channels = parts.channels;
    this.members = parts.channelMembers;
    this.messages = parts.messages;
  }

  /** @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async open(actor: Actor, channelId: string, messages: number): Promise<z.output<typeof bootstrapSchema>> {
    const { serverId } = await this.access.readable(actor, channelId);
    const [access, channel, server, channels, members, page] = await Promise.all([
      this.requests.channelAccess(actor, channelId),
      this.channels.get(actor, channelId),
      serverId === null ? null : this.servers.get(actor, serverId),
      serverId === null ? [] : this.channels.list(actor, serverId),
      this.members.list(actor, channelId, { limit: shownMembers }).catch(hidden),
      this.messages.reader.list(actor, channelId, { limit: messages }),
    ]);
    return { access, channel, server, channels, members: members.records, messages: page };
  }
}
