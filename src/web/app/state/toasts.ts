import { type ReadonlySignal, signal } from '@preact/signals';
import { ParleyError } from '../../../client/index.ts';
import type { Message } from '../../../languages/catalogue.ts';
import { issuesText } from './issues.ts';
import type { Scope } from './scope.ts';
import { formatSize } from './sizes.ts';
import type { Texts } from './texts.ts';

export interface Toast {
  id: number;
  text: string;
  kind: 'good' | 'bad';
  /** Where to see what it is about. */
  href: string | undefined;
}

const shownMs = 6000;
const maxShown = 4;

/** Short notices at the edge of the window. */
export class Toasts {
  readonly list = signal<readonly Toast[]>([]);
  private readonly scope: Scope;
  private readonly texts: ReadonlySignal<Texts>;
  private count = 0;

  constructor(scope: Scope, texts: ReadonlySignal<Texts>) {
    this.scope = scope;
    this.texts = texts;
  }

  readonly show = (text: string, kind: Toast['kind'] = 'good', href?: string): void => {
    if (this.scope.isOver) return;
    const toast = { id: ++this.count, text, kind, href };
    // A repeated text is shown once.
    const others = this.list.peek().filter((known) => known.text !== text);
    this.list.value = [...others, toast].slice(-maxShown);
    this.scope.after(shownMs, () => this.dismiss(toast.id));
  };

  dismiss(id: number): void {
    this.list.value = this.list.peek().filter((toast) => toast.id !== id);
  }

  /** Runs an action of the user, and shows its failure. @returns whether it succeeded */
  readonly attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      this.show(errorText(error, this.texts.peek()), 'bad');
      return false;
    }
  };
}

/** What did not work, in words for the user that are translated where it is shown. */
export class Failure extends Error {
  readonly said: Message;

  constructor(said: Message) {
    super(said);
    this.said = said;
  }
}

/** One sentence for the user about an error. */
export function errorText(error: unknown, texts: Texts): string {
  const { t } = texts;
  if (error instanceof ParleyError) {
    if (error.code === 'NETWORK') return t('The server cannot be reached. Try again.');
    return (error.room && noRoomText(error.room, texts)) ?? refusalText(error, texts);
  }
  if (error instanceof Failure) return t(error.said);
  return error instanceof Error ? error.message : t('That did not work.');
}

interface Refusal {
  code: string;
  /** The server's own sentence. */
  message: string;
  issues?: ParleyError['issues'];
}

/** Why the server refused something: by the fields that are wrong, else by the error's code. */
export function refusalText({ code, message, issues = [] }: Refusal, texts: Texts): string {
  const wrong = code === 'VALIDATION_FAILED' ? issuesText(issues, texts) : null;
  return wrong ?? (texts.language === 'en' ? null : texts.errorOf(code)) ?? message;
}

/** Where there is no room for a file; null: the error's own sentence says it. */
function noRoomText({ quota, leftBytes }: NonNullable<ParleyError['room']>, { t }: Texts): string | null {
  const size = formatSize(leftBytes);
  if (quota === 'account') return t('Your account has room for {size} more only. Delete files first.', { size });
  if (quota === 'server') return t('This server has room for {size} more only. Delete files of it first.', { size });
  if (quota === 'installation') return t('There is no room for more files here at the moment.');
  return null;
}
