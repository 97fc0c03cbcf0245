import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { updateAppSchema } from '../../contract/app.ts';
import { appDelete } from '../../contract/app.ts';
import { AppError } from '../../contract/errors.ts';
import { App, AppFile } from '../../database/entities/app.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Auditor } from '../../delivery/audit.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { insertFiles } from './app.table.ts';
import { appRecord } from './app.view.ts';
import type { BundleFile } from './bundle.ts';

/** The contents of a version of an app. */
export interface Content {
  type: App['type'];
  url: string | null;
  files: BundleFile[];
}

/** The data of a new app. */
export interface Description {
  name: string;
  slug: string;
  status?: App['status'];
  isHomepage?: boolean;
  description?: string | null;
  iconUrl?: string | null;
}

/** An app as the target of what is audited. */
export const thisApp = ({ id, name }: App) => ({ kind: 'app', id, label: name }) as const;

/** Adds an app with the files of its first version; as the homepage it replaces the present one. */
export async function insertApp(
  { em, rows }: Change,
  createdBy: string,
  serverId: string,
  { name, slug, status = 'active', isHomepage = false, description = null, iconUrl = null }: Description,
  { type, url, files }: Content,
): Promise<App> {
  const described = { name, slug, status, isHomepage, description, iconUrl };
  const app = em.create(App, { id: newId(), serverId, createdBy, type, url, ...described });
  if (isHomepage) await unsetHomepage(em, app);
  await em.flush();
  if (files.length > 0) await insertFiles(rows, app.id, app.version, files);
  return app;
}

/** An app whose content or data is about to change, until the commit. @throws AppError APP_NOT_FOUND */
export async function lockApp(em: EntityManager, id: string): Promise<App> {
  const app = await em.findOne(App, id, forUpdate);
  if (!app) throw new AppError('APP_NOT_FOUND');
  return app;
}

/** Deletes an app with its files, for everyone. @param by who does it @throws AppError APP_NOT_FOUND */
export async function deleteApp(change: Change, by: Auditor, id: string): Promise<void> {
  const app = await lockApp(change.em, id);
  await change.em.nativeDelete(App, id);
  change.audit(appDelete, { actor: by, serverId: app.serverId, target: thisApp(app), before: appRecord(app) });
}

/** Writes the files of the next version of a locked app and makes it the served one. */
export async function publishFiles({ em, rows }: Change, app: App, files: BundleFile[]): Promise<void> {
  app.version++;
  app.updatedAt = dateNow();
  await insertFiles(rows, app.id, app.version, files);
  await em.nativeDelete(AppFile, { appId: app.id, version: { $lt: app.version } });
}

/** Changes the given fields of a locked app; as the homepage it replaces the present one. */
export async function describeApp(
  em: EntityManager,
  app: App,
  { name, slug, status, description, iconUrl, url, isHomepage }: z.output<typeof updateAppSchema>,
): Promise<App> {
  if (isHomepage) await unsetHomepage(em, app);
  app.name = name ?? app.name;
  app.slug = slug ?? app.slug;
  app.status = status ?? app.status;
  app.url = url ?? app.url;
  app.isHomepage = isHomepage ?? app.isHomepage;
  if (description !== undefined) app.description = description;
  if (iconUrl !== undefined) app.iconUrl = iconUrl;
  app.updatedAt = dateNow();
  await em.flush();
  return app;
}

/** Only one app of a server is its homepage. */
async function unsetHomepage(em: EntityManager, { id, serverId }: App): Promise<void> {
  await em.nativeUpdate(App, { serverId, isHomepage: true, id: { $ne: id } }, { isHomepage: false });
}
