package tools_test

//lint:file-ignore SA5008 the tags are wrong on purpose

import (
	"math/big"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/arcseat/arc/tools"
)

// pathed and word are types that fields embed.
type (
	pathed struct {
		Path string `json:"path"`
	}
	word string
)

func TestTagsWithoutEffectAreErrors(t *testing.T) {
	t.Parallel()
	type tree struct {
		Under []tree `json:"under"`
	}
	for _, c := range []struct {
		name   string
		schema func() error
		want   string
	}{
		{"an unknown keyword", schemaOf[struct {
			A int `json:"a" jsonschema:"minimun=1"`
		}], `a has jsonschema tag "minimun=1": it is no keyword of a property of type integer`},
		{"a keyword of another type", schemaOf[struct {
			A string `json:"a" jsonschema:"minimum=1"`
		}], `a has jsonschema tag "minimum=1": it is no keyword of a property of type string`},
		{"a keyword where there is no type", schemaOf[struct {
			A any `json:"a" jsonschema:"minimum=1"`
		}], `a has jsonschema tag "minimum=1": the property has no single type`},
		{"a number that is none", schemaOf[struct {
			A int `json:"a" jsonschema:"minimum=one"`
		}], `must be a number`},
		{"a description cut at its comma", schemaOf[struct {
			A int `json:"a" jsonschema:"description=first, then second"`
		}], `a has jsonschema tag " then second": must be keyword=value`},
		{"a check that cannot be", schemaOf[struct {
			A int `json:"a" check:"prime=true"`
		}], `a has check tag "prime=true": it is no keyword that can be checked`},
		{"a length that is none", schemaOf[struct {
			A string `json:"a" check:"maxLength=-1"`
		}], `a has check tag "maxLength=-1": must be a whole number`},
		{"a default of another type", schemaOf[struct {
			A bool `json:"a" jsonschema:"default=yes"`
		}], `must be true or false`},
		{"a check without a value", schemaOf[struct {
			A int `json:"a" check:"minimum"`
		}], `a has check tag "minimum": must be keyword=value`},
		{"an extra without a value", schemaOf[struct {
			A any `json:"a" jsonschema_extras:"type"`
		}], `must be keyword=value`},
		{"an extra minimum that is none", schemaOf[struct {
			A any `json:"a" jsonschema_extras:"type=integer,type=null,minimum=0.5"`
		}], `must be a whole number`},
		{"deep inside", schemaOf[struct {
			A []struct {
				B string `json:"b" jsonschema:"maxLenght=1"`
			} `json:"a"`
		}], `a[].b has jsonschema tag "maxLenght=1"`},
		{"a type that there is not", schemaOf[struct {
			A any `json:"a" jsonschema_extras:"type=int"`
		}], `a has jsonschema_extras tag "type=int": "int" is no type`},
		{"an additive property that is required", schemaOf[struct {
			A int `json:"a" additive:"true"`
		}], `a is additive and required`},
		{"a keyword that only the reflector knows", schemaOf[struct {
			A string `json:"a" jsonschema:"format=uri"`
		}], `a has jsonschema tag "format=uri": it would be published and not checked`},
		{"a keyword that nobody checks", schemaOf[struct {
			A map[string]string `json:"a" jsonschema:"minProperties=1"`
		}], `a has jsonschema tag "minProperties=1": it would be published and not checked`},
		{"an extra that nobody checks", schemaOf[struct {
			A any `json:"a" jsonschema_extras:"minProperties=1"`
		}], `a has jsonschema_extras tag "minProperties=1": it would be published and not checked`},
		{"an extra whose value would be a string where a schema has a number", schemaOf[struct {
			A any `json:"a" jsonschema_extras:"maxLength=3"`
		}], `a has jsonschema_extras tag "maxLength=3": it is none of title, $comment, deprecated, type, minimum, pattern, uniqueItems, nor x-…`},
		{"an extra of another type", schemaOf[struct {
			A any `json:"a" jsonschema_extras:"type=integer,type=null,pattern=^1"`
		}], `a has jsonschema_extras tag "pattern=^1": it is no keyword of a property of type integer or null`},
		{"a check of another type", schemaOf[struct {
			A string `json:"a" check:"minimum=1"`
		}], `a has check tag "minimum=1": it is no keyword of a property of type string`},
		{"required, which json says", schemaOf[struct {
			A string `json:"a,omitempty" jsonschema:"required"`
		}], `a has jsonschema tag "required": a property is required when its json tag has no omitempty`},
		{"a bare word", schemaOf[struct {
			A string `json:"a" jsonschema:"uniqueItems"`
		}], `a has jsonschema tag "uniqueItems": must be keyword=value`},
		{"a keyword that is switched off", schemaOf[struct {
			A []string `json:"a" jsonschema:"uniqueItems=false"`
		}], `a has jsonschema tag "uniqueItems=false": must be true, or left out`},
		{"a keyword for one of a list of types", schemaOf[struct {
			A any `json:"a" jsonschema:"oneof_type=string;null,maxLength=3"`
		}], `a has jsonschema tag "maxLength=3": the property has no single type`},
		{"one of a list of types that there is not", schemaOf[struct {
			A any `json:"a" jsonschema:"oneof_type=string;nil"`
		}], `a has jsonschema tag "oneof_type=string;nil": "nil" is no type`},
		{"a pattern that does not compile", schemaOf[struct {
			A string `json:"a" jsonschema:"pattern=^(?!a)"`
		}], `a has jsonschema tag "pattern=^(?!a)": it is no pattern of Go's: error parsing regexp: `},
		{"a pattern that is only checked, and does not compile", schemaOf[struct {
			A string `json:"a" check:"pattern=["`
		}], `a has check tag "pattern=[": it is no pattern of Go's: `},
		{"a pattern that is too large", made(
			reflect.StructField{Name: "A", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`json:"a" check:"pattern=` + strings.Repeat("a{1000}", 101) + `"`)},
		), `the pattern is too large`},
		{"a step of 0", schemaOf[struct {
			A int `json:"a" check:"multipleOf=0"`
		}], `a has check tag "multipleOf=0": must be more than 0`},
		{"a list's value that would be dropped for its sign", schemaOf[struct {
			A []string `json:"a" jsonschema:"enum=a=b"`
		}], `a has jsonschema tag "enum=a=b": a value for a list cannot hold =`},
		{"a default of a list of numbers, which would be words", schemaOf[struct {
			A []int `json:"a" jsonschema:"default=1"`
		}], `a has jsonschema tag "default=1": only a list of strings can have a default`},

		{"a default that is none of the words", schemaOf[struct {
			A string `json:"a" jsonschema:"enum=up,enum=down,default=left"`
		}], `a's default is "left", must be one of "up", "down"`},
		{"a default beyond the largest value", schemaOf[struct {
			A int `json:"a" jsonschema:"maximum=10,default=11"`
		}], `a's default is 11, must be at most 10`},
		{"a default below what is only checked", schemaOf[struct {
			A int `json:"a" jsonschema:"default=0" check:"minimum=1"`
		}], `a's default is 0, must be at least 1`},
		{"a default that is too long", schemaOf[struct {
			A string `json:"a" jsonschema:"maxLength=2,default=abc"`
		}], `a's default has 3 characters, must have at most 2`},
		{"a list's default with a word that does not fit", schemaOf[struct {
			A []string `json:"a" jsonschema:"enum=x,default=x,default=y"`
		}], `a's default[1] is "y", must be "x"`},
		{"a default that is null's neighbour and does not fit", schemaOf[struct {
			A *int `json:"a" jsonschema:"nullable,minimum=1,default=0"`
		}], `a's default is 0, must be at least 1`},
		{"a smallest value above the largest", schemaOf[struct {
			A int `json:"a" jsonschema:"minimum=5,maximum=3"`
		}], `a has minimum=5 and maximum=3, between which nothing fits`},
		{"limits that shut each other out", schemaOf[struct {
			A float64 `json:"a" jsonschema:"exclusiveMinimum=1.5" check:"maximum=1.5"`
		}], `a has exclusiveMinimum=1.5 and maximum=1.5, between which nothing fits`},
		{"a shortest item longer than the longest", schemaOf[struct {
			A []string `json:"a" jsonschema:"minItems=3,maxItems=2,minLength=2,maxLength=1"`
		}], `a has minItems=3 and maxItems=2, between which nothing fits; a has minLength=2 and maxLength=1, between which nothing fits`},
		{"a keyword twice", schemaOf[struct {
			A int `json:"a" jsonschema:"minimum=1,minimum=2"`
		}], `a has the keyword minimum=2 twice`},
		{"a keyword that is published and checked apart", schemaOf[struct {
			A int `json:"a" jsonschema:"minimum=1" check:"minimum=2"`
		}], `a has the keyword minimum=2 twice`},
		{"a word twice", schemaOf[struct {
			A string `json:"a" jsonschema:"enum=x,enum=y,enum=x"`
		}], `a has the keyword enum=x twice`},
		{"two descriptions", schemaOf[struct {
			A string `json:"a" jsonschema:"description=One" jsonschema_description:"Two"`
		}], `a has the keyword description=One twice`},

		{"additive that is not true", schemaOf[struct {
			A int `json:"a,omitempty" additive:"yes"`
		}], `a has additive tag "yes", must be "true" or left out`},
		{"two fields of one name", made(
			reflect.StructField{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"a"`},
			reflect.StructField{Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"a"`},
		), `a is the json name of both A and B`},
		{"a field that hides one of an embedded struct", schemaOf[struct {
			pathed
			Path string `json:"path"`
		}], `path is the json name of both Path and Path`},
		{"an embedded pointer that encoding/json cannot fill", schemaOf[struct {
			*pathed
		}], `pathed is embedded, and *tools_test.pathed is not exported, so that no value can be put there`},
		{"the same with a name of its own", schemaOf[struct {
			*pathed `json:"p"`
		}], `p is embedded, and *tools_test.pathed is not exported`},
		{"an embedded word that encoding/json passes over", schemaOf[struct {
			word
		}], `word is embedded, and tools_test.word is not exported`},
		{"a json tag of a field that is not exported", made(
			reflect.StructField{Name: "a", PkgPath: "x", Type: reflect.TypeFor[int](), Tag: `json:"a"`},
		), `a has a json tag, and is not exported`},
		{"a tag of a field that is left out", schemaOf[struct {
			A int `json:"-" check:"minimum=1"`
		}], `A has the tag check, and is no property`},
		{"a tag of a struct that is embedded", schemaOf[struct {
			pathed `jsonschema_description:"Where"`
		}], `pathed has the tag jsonschema_description, and is no property`},
		{"an option of json that there is not", schemaOf[struct {
			A int `json:"a,omitemtpy"`
		}], `a has the json option "omitemtpy", which there is not`},
		{"a name that json passes over", schemaOf[struct {
			A int `json:"a'b"`
		}], `a'b has the json name "a'b", which no property can have`},
		{"a struct that is read from something else than its fields", schemaOf[struct {
			A big.Int `json:"a"`
		}], `big.Int is not read from an object of its fields, so it needs a method JSONSchema`},
		{"a struct whose schema would be a string, which it does not read", schemaOf[struct {
			A *url.URL `json:"a"`
		}], `url.URL is not read from an object of its fields`},
		{"an interface that nothing decodes into", schemaOf[struct {
			A error `json:"a"`
		}], `error has no JSON form`},
		{"a type that contains itself", schemaOf[tree], `contains itself`},
		{"a type without JSON", schemaOf[struct {
			A chan int `json:"a"`
		}], `has no JSON form`},
		{"no struct", schemaOf[[]int], `must be a struct`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := c.schema(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want …%s…", err, c.want)
			}
		})
	}
}

// A key that looks like one of ours is a slip, and one of another library's is not.
func TestTagKeysThatNobodyReads(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		`additve:"true"`:                       "a has the tag key additve, which nobody reads; did you mean additive?",
		`jsonschema_desc:"A"`:                  "a has the tag key jsonschema_desc, which nobody reads; did you mean jsonschema_description?",
		`jsonschema_descripton:"A"`:            "a has the tag key jsonschema_descripton, which nobody reads; did you mean jsonschema_description?",
		`jsonschema-description:"A"`:           "a has the tag key jsonschema-description, which nobody reads; did you mean jsonschema_description?",
		`description:"A"`:                      "a has the tag key description, which nobody reads; did you mean jsonschema_description?",
		`jsonshema:"minimum=1"`:                "a has the tag key jsonshema, which nobody reads; did you mean jsonschema?",
		`jsonschema_extra:"type=null"`:         "a has the tag key jsonschema_extra, which nobody reads; did you mean jsonschema_extras?",
		`Check:"minimum=1"`:                    "a has the tag key Check, which nobody reads; did you mean check?",
		`checks:"minimum=1"`:                   "a has the tag key checks, which nobody reads; did you mean check?",
		`jsn:"b"`:                              "a has the tag key jsn, which nobody reads; did you mean json?",
		`check:"minimum=1" check:"maximum=2"`:  "a has the tag key check twice",
		`check: "minimum=1"`:                   `a has a tag that is not key:"value" at check: "minimum=1"`,
		`jsonschema:"minimum=1",check:"a"`:     `a has a tag that is not key:"value" at ,check:"a"`,
		`yaml:"a" bson:"a" validate:"max=3"`:   "",
		`xml:"a" toml:"a" form:"a" schema:"a"`: "",
	} {
		got := ""
		if err := made(reflect.StructField{Name: "A", Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"a" ` + tag)})(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}

// made is schemaOf for structs that go vet would not let stand in a file.
func made(fields ...reflect.StructField) func() error {
	return func() error { _, _, err := tools.SchemasOf(reflect.StructOf(fields)); return err }
}
