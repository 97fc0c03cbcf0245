import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { accountExportLinkSchema, accountExportSchema } from '../../contract/account-export.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { AccountExport } from '../../database/entities/account-export.entity.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { contentDisposition, type ServedContent } from '../../infrastructure/served-content.ts';
import type { Confirmations } from '../accounts/confirmation/confirmation.service.ts';
import { holdSession, ownSession } from '../accounts/sessions/session.service.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import { exportKind } from './export.jobs.ts';

type ExportState = z.input<typeof accountExportSchema>;

const dayMs = 86_400_000;

interface Deps extends Pick<Context, 'database' | 'changes' | 'jobs' | 'links'> {
  blobs: BlobStore;
  confirmations: Confirmations;
}

/** The export of an account, by its owner: begun, made by a job, and downloaded (contract §3). */
export class AccountExportService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * How far the export is. @param begins whether to begin one if there is none
   * @throws AppError INSUFFICIENT_PAT_SCOPE, CONFIRMATION_REQUIRED where it would begin one
   */
  async state(actor: Actor, begins: boolean): Promise<ExportState> {
    ownSession(actor);
    const found = await this.find(actor.userId);
    if (found || !begins) return stateOf(found);
    await this.deps.confirmations.require(actor);
    return this.begin(actor);
  }

  /**
   * Begins an export, or returns the one under way: there is one at a time, and a new one replaces the last.
   * @throws AppError RATE_LIMITED within a day after the last one that is ready, INSUFFICIENT_PAT_SCOPE, SESSION_REVOKED
   */
  async begin(actor: Actor): Promise<ExportState> {
    const session = ownSession(actor);
    const { changes, jobs } = this.deps;
    const { userId } = actor;
    return changes.run(async (change) => {
      const { em } = change;
      await lockUser(change.rows, userId);
      await holdSession(change, session);
      const last = await em.findOne(AccountExport, { userId });
      if (last?.state === 'preparing' && !isAbandoned(last)) return stateOf(last);
      if (last?.state === 'ready') requireDayAfter(last);
      await em.nativeDelete(AccountExport, { userId });
      const fresh = { id: newId(), userId, state: 'preparing' as const, createdAt: dateNow() };
      await em.insert(AccountExport, fresh);
      await jobs.add(change, exportKind, { exportId: fresh.id });
      return stateOf(fresh);
    });
  }

  /** @throws AppError ACCOUNT_EXPORT_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async open(actor: Actor): Promise<ServedContent> {
    ownSession(actor);
    return this.served(await this.find(actor.userId));
  }

  /** A link that works for 10 minutes without signing in. @throws AppError as `open` */
  async link(actor: Actor): Promise<z.input<typeof accountExportLinkSchema>> {
    ownSession(actor);
    const { id } = ready(await this.find(actor.userId));
    const path = linkPath(id);
    const { token, expiresAt } = this.deps.links.sign(path, actor.userId);
    return { url: `${path}?${new URLSearchParams({ token })}`, expiresAt: expiresAt.toISOString() };
  }

  /** @throws AppError LINK_EXPIRED, ACCOUNT_EXPORT_NOT_FOUND */
  async openByLink(id: string, token: string): Promise<ServedContent> {
    if (!(await this.deps.links.verify(linkPath(id), token))) throw new AppError('LINK_EXPIRED');
    return this.served(await this.deps.database.read((em) => em.findOne(AccountExport, { id })));
  }

  /** The last one, unless its time is over: it is deleted soon after. */
  private async find(userId: string): Promise<AccountExport | null> {
    const found = await this.deps.database.read((em) => em.findOne(AccountExport, { userId }));
    return found && isOver(found) ? null : found;
  }

  private async served(found: AccountExport | null): Promise<ServedContent> {
    const { blobId, size, endedAt } = ready(found);
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Disposition': contentDisposition('attachment', `account-${isoTime(endedAt).slice(0, 10)}.zip`),
      'Cache-Control': 'private, no-store',
    };
    return this.deps.blobs.served({ id: blobId, size }, headers);
  }
}

const linkPath = (id: string): string => `/api/auth/exports/${id}`;

const isOver = ({ expiresAt }: AccountExport): boolean => expiresAt != null && expiresAt.getTime() <= clock.now();

/** Its job was discarded, or it would have ended long ago. */
const isAbandoned = ({ createdAt }: Pick<AccountExport, 'createdAt'>): boolean =>
  createdAt.getTime() + dayMs <= clock.now();

function requireDayAfter({ createdAt }: AccountExport): void {
  const retryAfter = Math.ceil((createdAt.getTime() + dayMs - clock.now()) / 1000);
  if (retryAfter <= 0) return;
  const message = 'You can have one export a day. The last one is there to be downloaded.';
  throw new AppError('RATE_LIMITED', { message, retryAfter });
}

/** @throws AppError ACCOUNT_EXPORT_NOT_FOUND */
function ready(found: AccountExport | null): { id: string; blobId: string; size: number; endedAt: Date } {
  if (found?.blobId == null || found.size == null || found.endedAt == null || isOver(found)) {
    throw new AppError('ACCOUNT_EXPORT_NOT_FOUND');
  }
  return { id: found.id, blobId: found.blobId, size: found.size, endedAt: found.endedAt };
}

type Known = Pick<AccountExport, 'id' | 'state' | 'createdAt'> &
  Partial<Pick<AccountExport, 'size' | 'endedAt' | 'expiresAt'>>;

const none: ExportState = {
  state: 'none',
  ...{ id: null, createdAt: null, readyAt: null, expiresAt: null, size: null, downloadUrl: null },
};

function stateOf(found: Known | null): ExportState {
  if (!found) return none;
  const { id, createdAt, size = null, endedAt, expiresAt } = found;
  const state = found.state === 'preparing' && isAbandoned(found) ? 'failed' : found.state;
  const isReady = state === 'ready';
  return {
    state,
    id,
    createdAt: isoTime(createdAt),
    readyAt: isReady ? isoTimeOrNull(endedAt) : null,
    expiresAt: isoTimeOrNull(expiresAt),
    size,
    downloadUrl: isReady ? '/api/auth/me/export/download' : null,
  };
}
