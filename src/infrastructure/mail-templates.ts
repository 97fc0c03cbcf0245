import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Language } from '../contract/languages.ts';

/** A mail without its recipient. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

const folder = path.join(import.meta.dirname, '..', '..', 'config', 'mail');
const subjectLine = /^Subject: (.+)\r?\n\r?\n/;

const sentencesSchema = z.record(z.string(), z.string());

/** A part of a mail that is made for both of its forms; in that of HTML everything is escaped already. */
interface Prepared {
  text: string;
  html: string;
}

/** The values of placeholders; each text of a list is a paragraph of its own. */
type Values = Record<string, string | string[] | Prepared>;

/**
 * Mail templates in config/mail, for operators to change: `<name>.txt` with the subject in its first line, `<name>.html`
 * for the content of `layout.html`, `<name>.json` with sentences by their names. `{{braces}}` are placeholders. Those of a
 * language are in a folder of its name; what is not there is English.
 */
export class MailTemplates {
  /**
   * @param language null: nothing is known of it, and so it is English
   * @throws Error when a template is missing, or names a value that is not given
   */
  render(name: string, values: Values, language: Language | null): MailText {
    const text = read(`${name}.txt`, language);
    const subject = subjectLine.exec(text)?.[1];
    if (!subject)
      throw new Error(`config/mail/${name}.txt does not begin with a line "Subject: ..." and an empty one.`);
    const content = read(`${name}.html`, language);
    // Filled once: a value may have braces too.
    const page = read('layout.html', language).replace('{{body}}', () => content);
    return {
      subject: fill(subject, values, plain),
      text: fill(text.replace(subjectLine, ''), values, plain),
      html: fill(page, values, html),
    };
  }

  /** One of the sentences of a file. @throws Error as `render` */
  sentence(name: string, key: string, values: Record<string, string>, language: Language | null): string {
    const sentence = sentencesSchema.parse(JSON.parse(read(`${name}.json`, language)))[key];
    if (sentence === undefined) throw new Error(`config/mail/${name}.json has no "${key}".`);
    return fill(sentence, values, plain);
  }
}

function read(file: string, language: Language | null): string {
  const translated = path.join(folder, language ?? '', file);
  return readFileSync(existsSync(translated) ? translated : path.join(folder, file), 'utf8');
}

/** How values are written into a text. */
interface Form {
  of: keyof Prepared;
  encode(text: string): string;
  betweenParagraphs: string;
}

function fill(template: string, values: Values, { of, encode, betweenParagraphs }: Form): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`A mail template asks for "${name}", which is not known there.`);
    if (typeof value === 'object' && !Array.isArray(value)) return value[of];
    return [value].flat().map(encode).join(betweenParagraphs);
  });
}

const plain: Form = { of: 'text', encode: (text) => text.replace(/[\r\n]+/g, ' '), betweenParagraphs: '\n\n' };

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML, including attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const html: Form = { of: 'html', encode: escapeHtml, betweenParagraphs: '<br><br>' };
