import { storageCalls } from '../../contract/storage.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { StorageService } from './storage.service.ts';

export function storageRoutes(storage: StorageService): Route[] {
  return serve(storageCalls, {
    getStorage: ({ actor }) => storage.own(actor),
    getServerStorage: ({ actor, params }) => storage.ofManaged(actor, params.id),
  });
}
