import { text } from 'node:stream/consumers';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import {
  appCreate,
  type appDetailSchema,
  type appListSchema,
  appSlugSchema,
  appStatuses,
  appUpdate,
  type createAppSchema,
  type listAppsSchema,
  type publishAppSchema,
  type updateAppSchema,
} from '../../contract/app.ts';
import { AppError } from '../../contract/errors.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { nameFrom } from '../../contract/schema.ts';
import type { Queries } from '../../database/database.ts';
import { App, AppFile } from '../../database/entities/app.entity.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import { quotaExceeded } from '../blobs/quota.errors.ts';
import type { Context } from '../context.ts';
import type { AppAccess } from './app.access.ts';
import {
  type Content,
  type Description,
  deleteApp,
  describeApp,
  insertApp,
  lockApp,
  publishFiles,
  thisApp,
} from './app.changes.ts';
import { type AppRecord, appRecord } from './app.view.ts';
import type { BundleFile } from './bundle.ts';
import type { BundleSources } from './bundle-sources.ts';

const maxLength = 90;

/** A slug for a name: Latin letters and digits, without accents; `app` if nothing is left. */
function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, '');
  if (plain === '') return 'app';
  // Reserved path segments are excluded, and what looks like an id would be read as one.
  return appSlugSchema.safeParse(plain).success ? plain : `app-${plain}`;
}

/** The first free one of `name`, `name-2`, `name-3`, … */
function freeSlug(name: string, taken: ReadonlySet<string>): string {
  const slug = slugOf(name);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

interface Deps extends Pick<Context, 'database' | 'changes' | 'outgoing'> {
  appAccess: AppAccess;
  bundleSources: BundleSources;
  blobs: BlobStore;
  allowance: StorageAllowance;
  limits: { maxPerServer: number; quotaBytes: number };
}

/** Apps of a server: access, changes, and versions (contract §8). */
export class AppService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Members see active apps, admins all. */
  async list(
    actor: Actor,
    serverId: string,
    { status, limit, offset }: z.output<typeof listAppsSchema>,
  ): Promise<z.input<typeof appListSchema>> {
    const server = await this.deps.appAccess.viewed(actor, serverId);
    const statuses: App['status'][] = server.all ? [...appStatuses] : ['active'];
    const shown = status ? statuses.filter((one) => one === status) : statuses;
    const [apps, total] = await this.deps.database.read((em) =>
      em.findAndCount(
        App,
        { serverId: server.id, status: shown },
        { orderBy: { isHomepage: 'desc', createdAt: 'asc', id: 'asc' }, limit, offset },
      ),
    );
    const items = apps.map(appRecord);
    return { items, apps: items, total };
  }

  /** With its page, if it is an HTML app. @throws AppError SERVER_NOT_FOUND, APP_NOT_FOUND */
  async get(actor: Actor, serverId: string, appId: string): Promise<z.input<typeof appDetailSchema>> {
    const app = appRecord(await this.deps.appAccess.visible(actor, serverId, appId));
    return { ...app, htmlContent: await this.htmlOf(app) };
  }

  /** @throws AppError APP_NOT_FOUND when the server has no homepage, or it is not active */
  async homepage(actor: Actor, serverId: string): Promise<AppRecord> {
    const server = await this.deps.appAccess.viewed(actor, serverId);
    const app = await this.deps.database.read((em) => em.findOne(App, { serverId: server.id, isHomepage: true }));
    if (!app || (app.status !== 'active' && !server.all)) throw new AppError('APP_NOT_FOUND');
    return appRecord(app);
  }

  /** @throws AppError ROLE_REQUIRED, APP_LIMIT, SLUG_TAKEN, BUNDLE_INVALID, FILE_NOT_FOUND, UNSAFE_URL */
  async create(actor: Actor, serverId: string, input: z.output<typeof createAppSchema>): Promise<AppRecord> {
    const server = await this.deps.appAccess.managed(actor, serverId);
    // Before a bundle is unpacked, and again when its app is added.
    await this.deps.database.read((em) => this.requireRoom(em, server.id));
    const content = await this.contentOf(actor, serverId, input);
    return this.change(actor, server.id, (change) => this.insert(change, actor, server.id, input, content));
  }

  /** Changes an app's data; new HTML makes a new version. @throws AppError APP_NOT_FOUND, SLUG_TAKEN */
  async update(
    actor: Actor,
    server: string,
    appId: string,
    input: z.output<typeof updateAppSchema>,
  ): Promise<AppRecord> {
    const { htmlContent, url } = input;
    const { id, serverId } = await this.deps.appAccess.changeable(actor, server, appId);
    if (url !== undefined) await this.deps.outgoing.check(new URL(url));
    const files = htmlContent === undefined ? null : [await this.deps.bundleSources.html(htmlContent)];
    return this.change(actor, serverId, async (change) => {
      // Its current type: a publish may just have replaced the app.
      const app = await lockApp(change.em, id);
      const before = appRecord(app);
      if (files && app.type !== 'html') throw notOfType('htmlContent', 'html');
      if (url !== undefined && app.type !== 'url') throw notOfType('url', 'url');
      if (files) await this.publishFiles(change, actor, app, files);
      await describeApp(change.em, app, input);
      change.audit(appUpdate, { actor, serverId, target: thisApp(app), before, after: appRecord(app) });
      return app;
    });
  }

  /** @throws AppError SERVER_NOT_FOUND, APP_NOT_FOUND, ROLE_REQUIRED */
  async delete(actor: Actor, serverId: string, appId: string): Promise<void> {
    const app = await this.deps.appAccess.changeable(actor, serverId, appId);
    await this.deps.changes.run((change) => deleteApp(change, actor, app.id));
  }

  /**
   * Publishes a folder or file of the workspace: as a new app, or as the next version of an existing one, which replaces
   * the served one at once.
   */
  async publish(actor: Actor, serverId: string, input: z.output<typeof publishAppSchema>): Promise<AppRecord> {
    const server = await this.deps.appAccess.managed(actor, serverId);
    const source = await this.deps.bundleSources.fromWorkspace(actor, serverId, input);
    const name = input.name ?? (nameFrom(source.name, 200) || 'App');
    return this.change(actor, server.id, async (change) => {
      const known = await published(change.em, server.id, name, input.slug);
      const content = { type: source.type, url: null, files: source.files };
      if (!known) return this.insert(change, actor, server.id, { ...input, name }, content);
      const before = appRecord(known);
      await this.publishFiles(change, actor, known, source.files);
      known.type = source.type;
      known.url = null;
      const { description, iconUrl, isHomepage } = input;
      const described = { name: input.name, status: 'active', description, iconUrl, isHomepage } as const;
      await describeApp(change.em, known, described);
      const [target, after] = [thisApp(known), appRecord(known)];
      change.audit(appUpdate, { actor, serverId: server.id, target, before, after });
      return known;
    });
  }

  private async insert(
    change: Change,
    actor: Actor,
    serverId: string,
    input: Omit<Description, 'slug'> & { slug?: string | null | undefined },
    content: Content,
  ): Promise<App> {
    await this.requireRoom(change.em, serverId);
    const slug = input.slug ?? freeSlug(input.name, await takenSlugs(change.db, serverId));
    const app = await insertApp(change, actor.userId, serverId, { ...input, slug }, content);
    if (content.files.length > 0) await this.requireBytes(change, actor, serverId);
    change.audit(appCreate, { actor, serverId, target: thisApp(app), after: appRecord(app) });
    return app;
  }

  private async publishFiles(change: Change, actor: Actor, app: App, files: BundleFile[]): Promise<void> {
    await publishFiles(change, app, files);
    await this.requireBytes(change, actor, app.serverId);
  }

  /** @throws AppError APP_LIMIT */
  private async requireRoom(em: EntityManager, serverId: string): Promise<void> {
    if ((await em.count(App, { serverId })) >= this.deps.limits.maxPerServer) throw new AppError('APP_LIMIT');
  }

  /** @throws AppError QUOTA_EXCEEDED when the apps of the server, or all files of the actor, have too many bytes by now */
  private async requireBytes({ db, rows }: Change, actor: Actor, serverId: string): Promise<void> {
    const { quotaBytes } = this.deps.limits;
    const stored = await db
      .selectFrom('App as a')
      .innerJoin('AppFile as f', 'f.appId', 'a.id')
      .where('a.serverId', '=', serverId)
      .select(({ fn }) => fn.sum('f.sizeBytes').as('bytes'))
      .executeTakeFirst();
    const totalBytes = Number(stored?.bytes ?? 0);
    if (totalBytes > quotaBytes) {
      throw quotaExceeded('apps', totalBytes, quotaBytes);
    }
    await this.deps.allowance.requireWithin(rows, { userId: actor.userId, serverId });
  }

  private async htmlOf(app: AppRecord): Promise<string | null> {
    if (app.type !== 'html') return null;
    const page = { appId: app.id, version: app.version, path: 'index.html' };
    const file = await this.deps.database.read((em) => em.findOne(AppFile, page));
    return file ? text(this.deps.blobs.read(file.blobId)) : null;
  }

  /**
   * Serializes changes of a server's apps: slugs and the homepage are unique. Receiving what is published may have taken
   * long, and its publisher may no longer be an admin.
   */
  private async change(actor: Actor, serverId: string, work: (change: Change) => Promise<App>): Promise<AppRecord> {
    try {
      const app = await this.deps.changes.run(async (change) => {
        await change.db.selectFrom('Server').where('id', '=', serverId).select('id').forNoKeyUpdate().execute();
        await this.deps.appAccess.managed(actor, serverId);
        return work(change);
      });
      return appRecord(app);
    } catch (error) {
      if (isUniqueViolation(error, 'apps_server_slug')) throw new AppError('SLUG_TAKEN');
      throw error;
    }
  }

  private async contentOf(actor: Actor, serverId: string, input: z.output<typeof createAppSchema>): Promise<Content> {
    if (input.type === 'url') {
      if (!input.url) throw missing('url');
      await this.deps.outgoing.check(new URL(input.url));
      return { type: 'url', url: input.url, files: [] };
    }
    if (input.type === 'html') {
      if (input.htmlContent == null) throw missing('htmlContent');
      return { type: 'html', url: null, files: [await this.deps.bundleSources.html(input.htmlContent)] };
    }
    if (!input.fileId) throw missing('fileId');
    const { files } = await this.deps.bundleSources.fromWorkspace(actor, serverId, { fileId: input.fileId });
    return { type: 'zip', url: null, files };
  }
}

/**
 * The app whose next version this is. Without a slug the name must match too: other names may give the same slug (`app`,
 * if there are no Latin letters), and nothing is replaced that was not named.
 */
function published(em: EntityManager, serverId: string, name: string, slug?: string | null): Promise<App | null> {
  const where = slug ? { serverId, slug } : { serverId, name, slug: new RegExp(`^${slugOf(name)}(-[0-9]+)?$`) };
  return em.findOne(App, where, { ...forUpdate, orderBy: { createdAt: 'asc', id: 'asc' } });
}

/** The slugs of the apps of a server, of any status. */
async function takenSlugs(db: Queries, serverId: string): Promise<Set<string>> {
  const apps = await db.selectFrom('App').where('serverId', '=', serverId).select('slug').execute();
  return new Set(apps.map(({ slug }) => slug));
}

function missing(path: string): AppError {
  return invalid([{ path, message: 'is missing for this type', code: 'invalid_type' }]);
}

function notOfType(path: string, type: string): AppError {
  return invalid([{ path, message: `is for apps of type "${type}"`, code: 'custom' }]);
}
