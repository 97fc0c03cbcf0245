import { z } from 'zod';
import { idSchema } from '../../contract/schema.ts';

export const products = ['slack', 'mattermost', 'discord', 'rocketchat'] as const;
export type Product = (typeof products)[number];

/** What the operator chose; an import that is continued keeps what it began with. */
export const choicesSchema = z.object({
  /** Take private channels over. */
  private: z.boolean(),
  /** Open channels of which the export does not say who could read them to everyone in the server. */
  open: z.boolean(),
  /** Whether placeholders get the address of the export, by which they can be claimed. */
  addresses: z.boolean(),
  /** Whether accounts that have proven an address become the authors of what the export says that it wrote. */
  match: z.boolean(),
  /** The name of the server that is created, and its owner; null: the server is there. */
  created: z.object({ name: z.string(), ownerId: idSchema }).nullable(),
});

export type Choices = z.output<typeof choicesSchema>;
