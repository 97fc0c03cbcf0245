import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { Modules } from '../../node/modules.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Archive } from './archive.ts';
import type { Choices, Product } from './choices.ts';
import type { Progress } from './progress.ts';
import type { Report } from './report.ts';

/** The second pass of an import, which writes: what it is of, where it goes, and what it needs. */
export interface Work {
  id: string;
  product: Product;
  serverId: string;
  choices: Choices;
  report: Report;
  archive: Archive;
  progress: Progress;
  database: Database;
  changes: Changes;
  services: Modules['services'];
  settings: Settings;
}
