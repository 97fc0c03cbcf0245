import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { bootstrapSchema } from '../../contract/bootstrap.ts';
import { AppError } from '../../contract/errors.ts';
import type { ListPage } from '../../contract/schema/list-page.ts';
import type { ChannelService } from '../channels/channel.service.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import type { Context } from '../context.ts';
import type { JoinRequestService } from '../join-requests/join-request.service.ts';
import type { MemberRecord } from '../members/server.view.ts';
import type { MessageService } from '../messages/message.service.ts';
import type { ServerService } from '../servers/server.service.ts';

/** How many members are shown at first. */
const shownMembers = 100;

/** A bot that is barred from all channels sees no members. */
function hidden(error: unknown): ListPage<MemberRecord> {
  if (error instanceof AppError && error.code === 'FORBIDDEN') return { records: [], hasMore: false };
  throw error;
}

interface Deps extends Pick<Context, 'channelAccess'> {
  joinRequests: JoinRequestService;
  servers: ServerService;
  channels: ChannelService;
  channelMembers: ChannelMemberService;
  messages: MessageService;
}

/** Everything a client shows when it opens a channel, in one call (contract §12). */
export class BootstrapService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async open(actor: Actor, channelId: string, messages: number): Promise<z.output<typeof bootstrapSchema>> {
    const { serverId } = await this.deps.channelAccess.readable(actor, channelId);
    const [access, channel, server, channels, members, page] = await Promise.all([
      this.deps.joinRequests.channelAccess(actor, channelId),
      this.deps.channels.get(actor, channelId),
      serverId === null ? null : this.deps.servers.get(actor, serverId),
      serverId === null ? [] : this.deps.channels.list(actor, serverId),
      this.deps.channelMembers.list(actor, channelId, { limit: shownMembers }).catch(hidden),
      this.deps.messages.reader.list(actor, channelId, { limit: messages }),
    ]);
    return { access, channel, server, channels, members: members.records, messages: page };
  }
}
