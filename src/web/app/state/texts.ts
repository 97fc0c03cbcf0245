import { directionOf, type Language } from '../../../contract/languages.ts';
import type { Message } from '../../../languages/catalogue.ts';
import { messageParts, messageText, type Values } from '../../../languages/message.ts';
import { type Clock, type ClockChoice, clockOf } from './clock.ts';

/** The texts of one language: by the English ones, and of errors by their codes. */
export interface Catalogue {
  texts: Readonly<Record<string, string>>;
  errors: Readonly<Record<string, string>>;
}

/** Translates a text. */
export type Translate = (message: Message, values?: Values) => string;

/** Everything that is said to people in one language, and by one clock. */
export interface Texts extends Clock {
  language: Language;
  /** For `Intl`: with the region that the browser names for this language. */
  locale: string;
  direction: 'ltr' | 'rtl';
  t: Translate;
  /** The same with arguments that are more than text, for what shows them. */
  rich<T>(message: Message, values: Values<T>): (string | T)[];
  /** Choices with their labels translated. */
  labelled<O extends { label: Message }>(options: readonly O[]): (Omit<O, 'label'> & { label: string })[];
  /** The sentence for an error with this code; null: the server's own, which is English, has to do. */
  errorOf(code: string): string | null;
}

/** @param catalogue null: texts stay English */
export function textsOf(
  { language, locale, ...clock }: { language: Language; locale: string } & ClockChoice,
  catalogue: Catalogue | null,
): Texts {
  const direction = directionOf(language);
  const own = (message: Message) => catalogue?.texts[message] ?? message;
  // What is in another script, such as a name, must not turn the words around it.
  const apart = (value: Values[string]) =>
    typeof value === 'string' && (direction === 'rtl' || rightToLeft.test(value)) ? `\u2068${value}\u2069` : value;
  const t: Translate = (message, values = {}) =>
    messageText(
      own(message),
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, apart(value)])),
      locale,
    );
  return {
    language,
    locale,
    direction,
    t,
    rich: (message, values) => messageParts(own(message), values, locale),
    labelled: (options) => options.map((option) => ({ ...option, label: t(option.label) })),
    errorOf: (code) => catalogue?.errors[code] ?? null,
    ...clockOf({ locale, t, ...clock }),
  };
}

const rightToLeft =
  /[\p{Bidi_Control}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
