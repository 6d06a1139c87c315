"""The sweep file that `chunksweep init` writes: every key, its default, and what it does."""

TEMPLATE = """\
# A sweep: what to compare, on what data, judged how. See what it would do: chunksweep plan sweep.yaml
# Then run it: chunksweep run sweep.yaml. It may be stopped and started again; nothing is measured twice.

name: my-sweep                     # the experiment's name in MLflow; export by it: chunksweep export my-sweep
dataset: handbook                  # a bundled set (chunksweep list datasets), or a path: ./my-set,
                                   # which chunksweep gold new makes of a folder of documents
embedder: all-MiniLM-L6-v2         # packaged, offline; or a folder, a name on the Hugging Face hub, or
                                   # {model: NAME, query_prompt: "query: ", passage_prompt: "passage: "}
vectors: direct                    # how chunks become vectors: each embedded on its own, or late: pooled from
                                   # token vectors of the document around them

# How chunks are searched; a list measures each, and a line of the grid may say it for itself.
retriever: dense                   # vectors; or bm25 (words), or hybrid (both fused)
rerank: null                       # a cross-encoder that orders the first candidates anew
candidates: null                   # how many those are; 100 unless said
store: exact                       # where vectors lie (chunksweep list stores)
vector_type: float32               # or float16, int8, binary, where the store can
metric: cosine                     # or dot
scope: corpus                      # or document: a question searches only documents that hold its evidence

retrieval:
  k: [1, 3, 5, 10]                 # depths at which ranked lists are scored
  token_budgets: [512, 1024, 2048, 4096]   # prompt sizes, in cl100k tokens, at which they are scored
filter: null                       # {year: 2024}: search only documents that have these metadata
relevance: half                    # a hit is relevant if it shares any | half of the shorter | contains all
headline: context_recall_at_1024_tokens    # the metric that decides (chunksweep list metrics)
judge: null                        # [ragas_id_context_recall]: measures of ragas beside our own; those that
                                   # ask a language model need {metrics: [...], base_url: URL, model: NAME}

baseline: null                     # a configuration's name, as plan prints it, to compare the others against
margin: 0.02                       # the loss of the headline you would accept for a cheaper configuration
split: null                        # {test: 0.5}: choose on half of the questions, report on the other
prices: {}                         # {per_million_embedding_tokens: 0.02, per_million_prompt_tokens: 3,
                                   # per_gb_month: 0.3, currency: EUR}: what costs are reckoned with

invalid: refuse                    # or skip: impossible pairs (overlap >= size) and duplicates
seed: 7                            # of the statistics
repeats: 1                         # measure every configuration so many times, to see how times vary

# One line a strategy; a list means try each. Every combination of a line is one configuration.
# size and overlap share a unit: cl100k_base (the default), characters, words, another tiktoken encoding, or
# embedder, the model's own tokens. The default model reads 256 of those: keep chunks under 200 cl100k_base.
# overlap is a number of units or a share of the size. Parameters of each: chunksweep list strategies
grid:
  - {strategy: fixed, size: [96, 192], overlap: [0, 25%]}
  - {strategy: sentence, size: [96, 192]}
  - {strategy: recursive, size: [96, 192]}
  - {strategy: markdown, size: [96, 192], headings: [none, section]}
"""
