import { signal } from '@preact/signals';
import type { RestInput } from '../../../client/index.ts';

type Report = RestInput<'POST /api/reports'>['body'];

/** What is reported, and what it is called in the dialog. */
export interface Reported {
  what: Pick<Report, 'kind' | 'messageId' | 'userId' | 'serverId' | 'appId'>;
  name: string;
}

/** What the user is about to report; the dialog is open meanwhile. */
export class Reporting {
  readonly about = signal<Reported | null>(null);

  readonly open = (about: Reported): void => {
    this.about.value = about;
  };

  readonly close = (): void => {
    this.about.value = null;
  };
}
