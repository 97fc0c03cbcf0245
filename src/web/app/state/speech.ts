import { type ReadonlySignal, signal } from '@preact/signals';
import { directionOf, isLanguage, type Language, languageOf } from '../../../contract/languages.ts';
import type { ClockChoice } from './clock.ts';
import type { Scope } from './scope.ts';
import type { Surroundings } from './surroundings.ts';
import { type Catalogue, type Texts, textsOf } from './texts.ts';

/** The language that was last used in this browser: the sign-in page has it too. */
const languageKey = 'parley:language';

/** Each is a file of its own, loaded when it is chosen; English is in the code. */
const catalogues: Record<Exclude<Language, 'en'>, () => Promise<{ default: Catalogue }>> = {
  de: () => import('../../../languages/de.json', { with: { type: 'json' } }),
  es: () => import('../../../languages/es.json', { with: { type: 'json' } }),
  fr: () => import('../../../languages/fr.json', { with: { type: 'json' } }),
  ja: () => import('../../../languages/ja.json', { with: { type: 'json' } }),
  ar: () => import('../../../languages/ar.json', { with: { type: 'json' } }),
};

/** What the page speaks: the language and the clock of who is signed in, else those of the browser. */
export class Speech {
  readonly texts: ReadonlySignal<Texts>;
  /** The first texts are there. */
  readonly ready: Promise<void>;
  private readonly current;
  private readonly surroundings: Surroundings;
  private readonly scope: Scope;
  private clock: ClockChoice = { timeZone: null, hourCycle: null };
  /** That of the language that is spoken. */
  private catalogue: Catalogue | null = null;
  private wanted: Language;

  constructor(surroundings: Surroundings, scope: Scope) {
    this.surroundings = surroundings;
    this.scope = scope;
    const kept = scope.local.getItem(languageKey) ?? '';
    this.wanted = isLanguage(kept) ? kept : (languageOf(surroundings.languages) ?? 'en');
    this.current = signal(this.textsIn('en'));
    this.texts = this.current;
    this.ready = this.show();
  }

  /** Speaks another language from now on, also where nobody is signed in. */
  choose(language: Language): Promise<void> {
    this.scope.local.setItem(languageKey, language);
    this.wanted = language;
    return this.show();
  }

  /** Takes over what someone has chosen; null: nothing. */
  async follow(language: Language | null, clock: ClockChoice): Promise<void> {
    const isSame = clock.timeZone === this.clock.timeZone && clock.hourCycle === this.clock.hourCycle;
    this.clock = clock;
    if (language !== null && language !== this.wanted) await this.choose(language);
    else if (!isSame) await this.show();
  }

  /** Without its catalogue, say when the line is down, a language is kept for the next start, and the texts stay. */
  private async show(): Promise<void> {
    const language = this.wanted;
    try {
      const catalogue = language === 'en' ? null : (await catalogues[language]()).default;
      if (language !== this.wanted) return;
      this.catalogue = catalogue;
      this.current.value = this.textsIn(language);
      this.surroundings.setLanguage(language, directionOf(language));
    } catch {
      this.current.value = this.textsIn(this.current.peek().language);
    }
  }

  private textsIn(language: Language): Texts {
    const locale = this.surroundings.languages.find((tag) => languageOf([tag]) === language) ?? language;
    return textsOf({ language, locale, ...this.clock }, this.catalogue);
  }
}
