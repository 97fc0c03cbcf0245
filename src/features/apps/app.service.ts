import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import {
  type appDetailSchema,
  type appListSchema,
  appSlugSchema,
  type createAppSchema,
  type listAppsSchema,
  type publishAppSchema,
  type updateAppSchema,
} from '../../contract/app.ts';
import { AppError } from '../../contract/errors.ts';
import { invalid } from '../../contract/schema/validation.ts';
import type { Rows } from '../../database/database.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import type { Change } from '../../delivery/changes.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import type { AppAccess } from './app.access.ts';
import {
  bytesOfApps,
  type Content,
  type Description,
  describeApp,
  insertApp,
  publishFiles,
  takenSlugs,
} from './app.table.ts';
import { type AppRecord, type AppRow, appColumns, appRecord } from './app.view.ts';
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
    const statuses = server.all ? ['draft', 'active', 'archived'] : ['active'];
    const shown = status ? statuses.filter((one) => one === status) : statuses;
    const rows = await this.deps.database.rows<AppRow>(
      `SELECT ${appColumns} FROM apps WHERE server_id = $1 AND status = ANY($2)
       ORDER BY is_homepage DESC, created_at, id LIMIT $3 OFFSET $4`,
      [server.id, shown, limit, offset],
    );
    const [count] = await this.deps.database.rows<{ total: number }>(
      'SELECT count(*) AS total FROM apps WHERE server_id = $1 AND status = ANY($2)',
      [server.id, shown],
    );
    const items = rows.map(appRecord);
    return { items, apps: items, total: count?.total ?? 0 };
  }

  /** With its page, if it is an HTML app. @throws AppError SERVER_NOT_FOUND, APP_NOT_FOUND */
  async get(actor: Actor, serverId: string, appId: string): Promise<z.input<typeof appDetailSchema>> {
    const app = appRecord(await this.deps.appAccess.visible(actor, serverId, appId));
    return { ...app, htmlContent: await this.htmlOf(app) };
  }

  /** @throws AppError APP_NOT_FOUND when the server has no homepage, or it is not active */
  async homepage(actor: Actor, serverId: string): Promise<AppRecord> {
    const server = await this.deps.appAccess.viewed(actor, serverId);
    const [row] = await this.deps.database.rows<AppRow>(
      `SELECT ${appColumns} FROM apps WHERE server_id = $1 AND is_homepage`,
      [server.id],
    );
    if (!row || (row.status !== 'active' && !server.all)) throw new AppError('APP_NOT_FOUND');
    return appRecord(row);
  }

  /** @throws AppError ROLE_REQUIRED, APP_LIMIT, SLUG_TAKEN, BUNDLE_INVALID, FILE_NOT_FOUND, UNSAFE_URL */
  async create(actor: Actor, serverId: string, input: z.output<typeof createAppSchema>): Promise<AppRecord> {
    const server = await this.deps.appAccess.managed(actor, serverId);
    // Before a bundle is unpacked, and again when its app is added.
    await this.requireRoom(this.deps.database.rows, server.id);
    const content = await this.contentOf(actor, serverId, input);
    return this.change(actor, server.id, async (change) => {
      return this.insert(change, actor, server.id, input, content);
    });
  }

  /** Changes an app's data; new HTML makes a new version. @throws AppError APP_NOT_FOUND, SLUG_TAKEN */
  async update(
    actor: Actor,
    serverId: string,
    appId: string,
    input: z.output<typeof updateAppSchema>,
  ): Promise<AppRecord> {
    const { htmlContent, url } = input;
    const { id, server_id } = await this.deps.appAccess.changeable(actor, serverId, appId);
    if (url !== undefined) await this.deps.outgoing.check(new URL(url));
    const files = htmlContent === undefined ? null : [await this.deps.bundleSources.html(htmlContent)];
    return this.change(actor, server_id, async (change) => {
      // Its current type: a publish may just have replaced the app.
      const { type } = await this.deps.appAccess.changeable(actor, server_id, id);
      if (files && type !== 'html') throw notOfType('htmlContent', 'html');
      if (url !== undefined && type !== 'url') throw notOfType('url', 'url');
      if (files) await this.publishFiles(change, actor, { id, server_id }, files);
      return describeApp(change, id, input);
    });
  }

  /** @throws AppError SERVER_NOT_FOUND, APP_NOT_FOUND, ROLE_REQUIRED */
  async delete(actor: Actor, serverId: string, appId: string): Promise<void> {
    const app = await this.deps.appAccess.changeable(actor, serverId, appId);
    await this.deps.changes.run(async ({ rows }) => {
      const gone = await rows('DELETE FROM apps WHERE id = $1 RETURNING id', [app.id]);
      if (gone.length === 0) throw new AppError('APP_NOT_FOUND');
    });
  }

  /**
   * Publishes a folder or file of the workspace: as a new app, or as the next version of an existing one, which replaces
   * the served one at once.
   */
  async publish(actor: Actor, serverId: string, input: z.output<typeof publishAppSchema>): Promise<AppRecord> {
    const server = await this.deps.appAccess.managed(actor, serverId);
    const source = await this.deps.bundleSources.fromWorkspace(actor, serverId, input);
    const name = input.name ?? source.name;
    return this.change(actor, server.id, async (change) => {
      const known = await this.published(change, server.id, name, input.slug);
      const content = { type: source.type, url: null, files: source.files };
      if (!known) return this.insert(change, actor, server.id, { ...input, name }, content);
      await this.publishFiles(change, actor, known, source.files);
      await change.rows("UPDATE apps SET type = $2, url = NULL, status = 'active' WHERE id = $1", [
        known.id,
        source.type,
      ]);
      const { description, iconUrl, isHomepage } = input;
      return describeApp(change, known.id, { name: input.name, description, iconUrl, isHomepage });
    });
  }

  private async insert(
    change: Change,
    actor: Actor,
    serverId: string,
    input: Omit<Description, 'slug'> & { slug?: string | null | undefined },
    content: Content,
  ): Promise<AppRow> {
    const taken = await this.requireRoom(change.rows, serverId);
    const slug = input.slug ?? freeSlug(input.name, taken);
    const app = await insertApp(change, actor.userId, serverId, { ...input, slug }, content);
    if (content.files.length > 0) await this.requireBytes(change.rows, actor, serverId);
    return app;
  }

  private async publishFiles(
    change: Change,
    actor: Actor,
    app: { id: string; server_id: string },
    files: BundleFile[],
  ): Promise<void> {
    await publishFiles(change, app.id, files);
    await this.requireBytes(change.rows, actor, app.server_id);
  }

  /** @returns the slugs of existing apps @throws AppError APP_LIMIT */
  private async requireRoom(rows: Rows, serverId: string): Promise<Set<string>> {
    const taken = await takenSlugs(rows, serverId);
    if (taken.size >= this.deps.limits.maxPerServer) throw new AppError('APP_LIMIT');
    return taken;
  }

  /** @throws AppError QUOTA_EXCEEDED when the apps of the server, or all files of the actor, have too many bytes by now */
  private async requireBytes(rows: Rows, actor: Actor, serverId: string): Promise<void> {
    const { quotaBytes } = this.deps.limits;
    const totalBytes = await bytesOfApps(rows, serverId);
    if (totalBytes > quotaBytes) {
      const message = `All apps of a server can have at most ${quotaBytes} bytes together; delete some first.`;
      throw new AppError('QUOTA_EXCEEDED', { message, extra: { totalBytes, quotaBytes } });
    }
    await this.deps.allowance.requireWithin(rows, actor);
  }

  /**
   * The app whose next version this is. Without a slug the name must match too: other names may give the same slug (`app`,
   * if there are no Latin letters), and nothing is replaced that was not named.
   */
  private async published(change: Change, serverId: string, name: string, slug?: string | null) {
    const [app] = slug
      ? await change.rows<AppRow>(`SELECT ${appColumns} FROM apps WHERE server_id = $1 AND slug = $2`, [serverId, slug])
      : await change.rows<AppRow>(
          `SELECT ${appColumns} FROM apps WHERE server_id = $1 AND name = $2 AND slug ~ ('^' || $3 || '(-[0-9]+)?$')
           ORDER BY created_at, id LIMIT 1`,
          [serverId, name, slugOf(name)],
        );
    return app;
  }

  private async htmlOf(app: AppRecord): Promise<string | null> {
    if (app.type !== 'html') return null;
    const [file] = await this.deps.database.rows<{ blobId: string }>(
      'SELECT blob_id AS "blobId" FROM app_files WHERE app_id = $1 AND version = $2 AND path = \'index.html\'',
      [app.id, app.version],
    );
    return file ? text(this.deps.blobs.read(file.blobId)) : null;
  }

  /**
   * Serializes changes of a server's apps: slugs and the homepage are unique. Receiving what is published may have taken
   * long, and its publisher may no longer be an admin.
   */
  private async change(actor: Actor, serverId: string, work: (change: Change) => Promise<AppRow>): Promise<AppRecord> {
    try {
      const row = await this.deps.changes.run(async (change) => {
        await change.rows('SELECT id FROM servers WHERE id = $1 FOR NO KEY UPDATE', [serverId]);
        await this.deps.appAccess.managed(actor, serverId);
        return work(change);
      });
      return appRecord(row);
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

function missing(path: string): AppError {
  return invalid([{ path, message: 'is missing for this type', code: 'invalid_type' }]);
}

function notOfType(path: string, type: string): AppError {
  return invalid([{ path, message: `is for apps of type "${type}"`, code: 'custom' }]);
}
