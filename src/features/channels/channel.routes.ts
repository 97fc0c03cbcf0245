import { categoryCalls } from '../../contract/category.ts';
import { channelCalls } from '../../contract/channel.ts';
import { channelMemberCalls } from '../../contract/channel-member.ts';
import { channelOverrideCalls } from '../../contract/channel-override.ts';
import { favoriteCalls } from '../../contract/favorite.ts';
import { done } from '../../contract/schema.ts';
import { pageReply, Reply, type Route, serve } from '../../rest/route.ts';
import type { CategoryService } from './category.service.ts';
import type { ChannelService } from './channel.service.ts';
import type { ChannelMemberService } from './channel-member.service.ts';
import type { ChannelOverrideService } from './channel-override.service.ts';
import type { FavoriteService } from './favorite.service.ts';
import type { ReadStateService } from './read-state.service.ts';

export function channelRoutes(channels: ChannelService, readStates: ReadStateService): Route[] {
  return serve(channelCalls, {
    createChannel: ({ actor, params, body }) => channels.create(actor, params.serverId, body),
    listChannels: ({ actor, params }) => channels.list(actor, params.serverId),
    listArchivedChannels: ({ actor, params }) => channels.listArchived(actor, params.serverId),
    orderChannels: ({ actor, params, body }) => channels.order(actor, params.serverId, body),
    getChannel: ({ actor, params }) => channels.get(actor, params.id),
    updateChannel: ({ actor, params, body }) => channels.update(actor, params.id, body),
    async deleteChannel({ actor, params }) {
      await channels.delete(actor, params.id);
      return done;
    },
    archiveChannel: ({ actor, params }) => channels.archive(actor, params.id, true),
    unarchiveChannel: ({ actor, params }) => channels.archive(actor, params.id, false),
    markChannelRead: ({ actor, params, body }) => readStates.markRead(actor, params.id, body),
  });
}

export function categoryRoutes(categories: CategoryService): Route[] {
  return serve(categoryCalls, {
    listCategories: ({ actor, params }) => categories.list(actor, params.serverId),
    createCategory: ({ actor, params, body }) => categories.create(actor, params.serverId, body),
    orderCategories: ({ actor, params, body }) => categories.order(actor, params.serverId, body),
    updateCategory: ({ actor, params, body }) => categories.update(actor, params.serverId, params.categoryId, body),
    async deleteCategory({ actor, params }) {
      await categories.delete(actor, params.serverId, params.categoryId);
      return done;
    },
  });
}

export function favoriteRoutes(favorites: FavoriteService): Route[] {
  return serve(favoriteCalls, {
    listFavorites: ({ actor }) => favorites.list(actor),
    orderFavorites: ({ actor, body }) => favorites.order(actor, body),
    addFavorite: ({ actor, params }) => favorites.add(actor, params.id),
    removeFavorite: ({ actor, params }) => favorites.remove(actor, params.id),
  });
}

export function channelMemberRoutes(members: ChannelMemberService): Route[] {
  return serve(channelMemberCalls, {
    listChannelMembers: async ({ actor, params, query }) => pageReply(await members.list(actor, params.id, query)),
    async addChannelMember({ actor, params, body }) {
      const { member, repeated } = await members.add(actor, params.id, body.userId);
      return new Reply({ ...member, ...done }, { status: repeated ? 200 : 201 });
    },
    async removeChannelMember({ actor, params }) {
      await members.remove(actor, params.id, params.userId);
      return done;
    },
  });
}

export function channelOverrideRoutes(overrides: ChannelOverrideService): Route[] {
  return serve(channelOverrideCalls, {
    listChannelOverrides: ({ actor, params }) => overrides.list(actor, params.id),
    setChannelRoleOverride: ({ actor, params, body }) => overrides.set(actor, params.id, { role: params.role }, body),
    setChannelUserOverride: ({ actor, params, body }) =>
      overrides.set(actor, params.id, { userId: params.userId }, body),
    async deleteChannelRoleOverride({ actor, params }) {
      await overrides.remove(actor, params.id, { role: params.role });
      return done;
    },
    async deleteChannelUserOverride({ actor, params }) {
      await overrides.remove(actor, params.id, { userId: params.userId });
      return done;
    },
  });
}
