import type { ServerAccess, ServerInfo } from '../../access/server.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { may, requirePermission } from '../../contract/roles.ts';
import { isUuid } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import { App } from '../../database/entities/app.entity.ts';

/** The only way to access apps on behalf of a signed-in user. */
export class AppAccess {
  private readonly database: Database;
  private readonly servers: ServerAccess;

  constructor(database: Database, servers: ServerAccess) {
    this.database = database;
    this.servers = servers;
  }

  /** A server whose apps the actor may see, and whether that is all of them. @throws AppError SERVER_NOT_FOUND */
  async viewed(actor: Actor, serverIdOrSlug: string): Promise<ServerInfo & { all: boolean }> {
    const server = await this.servers.visible(actor, serverIdOrSlug);
    return { ...server, all: may(server.membership?.rights, 'app:see-all') };
  }

  /** A server whose apps the actor may change: its admins. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED */
  async managed(actor: Actor, serverIdOrSlug: string): Promise<ServerInfo> {
    const server = await this.servers.joined(actor, serverIdOrSlug);
    requirePermission(server.membership.rights, 'app:manage');
    return server;
  }

  /** An app that the actor may see: active ones, admins all. @throws AppError APP_NOT_FOUND */
  async visible(actor: Actor, serverIdOrSlug: string, idOrSlug: string): Promise<App> {
    const server = await this.viewed(actor, serverIdOrSlug);
    const app = await this.find(server.id, idOrSlug);
    if (app.status !== 'active' && !server.all) throw new AppError('APP_NOT_FOUND');
    return app;
  }

  /** An app that the actor may change. @throws AppError APP_NOT_FOUND, ROLE_REQUIRED */
  async changeable(actor: Actor, serverIdOrSlug: string, idOrSlug: string): Promise<App> {
    const server = await this.managed(actor, serverIdOrSlug);
    return this.find(server.id, idOrSlug);
  }

  private async find(serverId: string, idOrSlug: string): Promise<App> {
    const where = isUuid(idOrSlug) ? { serverId, id: idOrSlug } : { serverId, slug: idOrSlug };
    const app = await this.database.read((em) => em.findOne(App, where));
    if (!app) throw new AppError('APP_NOT_FOUND');
    return app;
  }
}
