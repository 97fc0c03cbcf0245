import { userById } from '../../access/user.table.ts';
import { Server } from '../../database/entities/server.entity.ts';
import type { Changes } from '../../delivery/changes.ts';
import { newInviteCode } from '../../features/servers/invite-code.ts';
import { requireRoomToOwn } from '../../features/servers/member.service.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Modules } from '../../node/modules.ts';
import type { Settings } from '../../settings/settings.ts';
import { TransferError } from '../transfer/failure.ts';
import { giveServer } from './imports.table.ts';

interface Deps {
  changes: Changes;
  services: Pick<Modules['services'], 'roster'>;
  settings: Settings;
}

/** Creates the server that an import goes into: private, without channels yet. @returns its id @throws AppError SERVER_LIMIT */
export async function createServer(
  { changes, services, settings }: Deps,
  importId: string,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<string> {
  return changes.run(async (change) => {
    await requireRoomToOwn(change, ownerId, settings.servers.maxPerOwner);
    const id = newId();
    const looks = { iconUrl: null, bannerUrl: null, mark: null, accentColor: null };
    const nothing = { slug: null, description: null, homepageHtml: null, ...looks };
    change.em.create(Server, { id, name, ...nothing, isPublic: false, ownerId, inviteCode: newInviteCode() });
    await change.em.flush();
    await services.roster.add(change, await userById(change.rows, ownerId), id, 'owner');
    if (!(await giveServer(change.rows, importId, id))) throw new TransferError('Another run imports the same now.');
    return id;
  });
}
