import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { updateServerSchema } from '../../contract/server.ts';
import type { Rows } from '../../database/database.ts';
import type { Server } from '../../database/entities/server.entity.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import { findServer } from '../members/server.table.ts';
import { type ServerRecord, serverRecord } from '../members/server.view.ts';
import type { PictureService } from '../pictures/picture.service.ts';

/** A server as a user sees it. @throws AppError SERVER_NOT_FOUND */
export async function readServer(rows: Rows, serverId: string, userId: string): Promise<ServerRecord> {
  const row = await findServer(rows, serverId, userId);
  if (!row) throw new AppError('SERVER_NOT_FOUND');
  return serverRecord(row);
}

/** Runs what writes a slug. @throws AppError SLUG_TAKEN */
export async function withFreeSlug<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, 'servers_slug_unique')) throw new AppError('SLUG_TAKEN');
    throw error;
  }
}

/** The pictures that a change sets, as they are kept. */
export async function settledPictures(
  pictures: PictureService,
  actor: Actor,
  { iconUrl, bannerUrl }: Pick<z.output<typeof updateServerSchema>, 'iconUrl' | 'bannerUrl'>,
) {
  return {
    iconUrl: await pictures.settled(actor, iconUrl, 'square', 'iconUrl'),
    bannerUrl: await pictures.settled(actor, bannerUrl, 'banner', 'bannerUrl'),
  };
}

/** A server as the target of what is audited. */
export const thisServer = ({ id, name }: Server) => ({ kind: 'server', id, label: name }) as const;
