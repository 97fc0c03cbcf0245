import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A mail without its recipient. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

const folder = path.join(import.meta.dirname, '..', '..', 'config', 'mail');
const subjectLine = /^Subject: (.+)\r?\n\r?\n/;

/**
 * Mail templates in config/mail, for operators to change: `<name>.txt` with the subject in its first line, `<name>.html`
 * for the content of `layout.html`. `{{braces}}` are placeholders.
 */
export class MailTemplates {
  private readonly read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
  private readonly layout = this.read('layout.html');

  /** @throws Error when a template is missing, or names a value that is not given */
  render(name: string, values: Record<string, string>): MailText {
    const text = this.read(`${name}.txt`);
    const subject = subjectLine.exec(text)?.[1];
    if (!subject)
      throw new Error(`config/mail/${name}.txt does not begin with a line "Subject: ..." and an empty one.`);
    const inside = fill(this.read(`${name}.html`), values, escapeHtml);
    const html = fill(
      this.layout.replace('{{body}}', () => inside),
      values,
      escapeHtml,
    );
    return { subject: fill(subject, values, plain), text: fill(text.replace(subjectLine, ''), values, plain), html };
  }
}

function fill(template: string, values: Record<string, string>, encode: (text: string) => string): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`A mail template asks for "${name}", which is not known there.`);
    return encode(value);
  });
}

const plain = (text: string) => text.replace(/[\r\n]+/g, ' ');

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML, including attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
