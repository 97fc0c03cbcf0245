import { z } from 'zod';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 and AsyncAPI 3 accept it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The schemas of a document: its parts by name, and the components that they share. */
export interface JsonSchemas {
  /** The schema of one of the given names. */
  of(name: string): JsonSchema;
  /** By their ids; referred to as `#/components/schemas/<id>`. */
  components: Record<string, JsonSchema>;
}

const documentSchema = z.object({
  properties: z.record(z.string(), z.custom<JsonSchema>()).default({}),
  $defs: z.record(z.string(), z.custom<JsonSchema>()).default({}),
});

/**
 * Turns the contracts' schemas into JSON Schemas, all in one go, so that they share components: schemas with
 * `.meta({ id })`, and those that contain themselves. It shows the input side of each: it describes what a client
 * sends, and what it receives, since nothing is parsed on the way out.
 */
export function jsonSchemas(schemas: Map<string, z.ZodType>): JsonSchemas {
  const all = z.object(Object.fromEntries(schemas));
  const generated = z.toJSONSchema(all, { io: 'input', unrepresentable: 'any', override: adapt });
  const moved: unknown = JSON.parse(JSON.stringify(generated), (key, value) =>
    key === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') : value,
  );
  const { properties, $defs } = documentSchema.parse(moved);
  return {
    of(name) {
      const schema = properties[name];
      if (!schema) throw new Error(`There is no schema "${name}".`);
      return schema;
    },
    components: Object.fromEntries(Object.entries($defs).map(([id, { id: _, ...schema }]) => [id, schema])),
  };
}

/** The JSON Schema of one input by itself, with whatever it refers to in its own `$defs`. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: adapt });
}

/**
 * Drops patterns that only repeat the format, and limits that only repeat the number type; adds the bare id that may
 * replace an object (objectOrId) beside it.
 */
function adapt({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.format === 'uuid' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (!jsonSchema.orBareId) return;
  const { orBareId: _, ...object } = jsonSchema;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  jsonSchema.anyOf = [object, { type: 'string', format: 'uuid' }];
}

/** The schema of a reference, or the schema itself. */
export function resolved(schema: JsonSchema, { components }: JsonSchemas): JsonSchema {
  const id = schema.$ref?.replace('#/components/schemas/', '');
  return (id === undefined ? undefined : components[id]) ?? schema;
}
