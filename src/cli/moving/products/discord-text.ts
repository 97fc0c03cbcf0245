import { type Json, objectsIn } from '../../../features/hooks/formats/json.ts';
import { lines, link, quoted } from '../../../features/hooks/formats/marks.ts';
import { ownName, withEmoji } from '../emoji.ts';
import { channelMark, personMark } from '../marks.ts';
import { firstOf, idOf, textOf } from '../said.ts';

/**
 * Discord's Markdown as ours, which has the same spoilers, emphasis, lists and code. By default the exporter has put names in
 * place of ids; with `--markdown false` these are as Discord has them. @param mentions the people whom the message names
 */
export function discordText(text: string, mentions: Json[]): string {
  const parts = text.split(/(```[\s\S]*?```|`[^`\n]+`)/);
  return withEmoji(parts.map((part, index) => (index % 2 === 1 ? part : translated(part, mentions))).join(''));
}

function translated(text: string, mentions: Json[]): string {
  const shownOf = new Map(mentions.map((one) => [idOf(one.id), firstOf(one.nickname, one.name, one.id)]));
  const marked = text
    .replace(/<@!?(\d{5,20})>/g, (_, id: string) => personMark(id, shownOf.get(id) ?? id))
    .replace(/<#(\d{5,20})>/g, (_, id: string) => channelMark(id, id))
    .replace(/<@&\d{5,20}>/g, '@role')
    .replace(/<a?:(\w{2,32}):\d{5,20}>/g, (_, name: string) => `:${ownName(name) ?? name}:`)
    .replace(/<t:(-?\d{1,12})(?::[a-zA-Z])?>/g, (whole, seconds: string) => momentOf(Number(seconds)) ?? whole)
    .replace(/<\/([^:<>\n]{1,100}):\d{5,20}>/g, '/$1');
  return mentions.reduce(withNames, marked);
}

/** Marks in place of the names of someone, who may be shown by any of them. */
function withNames(text: string, person: Json): string {
  const names = [textOf(person.nickname), textOf(person.name)].filter((name) => name !== '');
  return names.reduce((marked, name) => marked.replaceAll(`@${name}`, () => personMark(idOf(person.id), name)), text);
}

function momentOf(seconds: number): string | null {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? null : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What bots show in boxes. */
export function embedsAsText(value: unknown): string[] {
  return objectsIn(value).flatMap((embed) => {
    const title = textOf(embed.title);
    const fields = objectsIn(embed.fields).map((field) => lines(`**${textOf(field.name)}**`, textOf(field.value)));
    const inside = lines(title && `**${link(title, textOf(embed.url))}**`, textOf(embed.description), fields);
    return inside === '' ? [] : [quoted(inside)];
  });
}
