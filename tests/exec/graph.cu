// graph.cu - a breadth-first search: cubins.mk compiles it
// SPDX-License-Identifier: BSD-2-Clause

struct node { int first, edges; };

/* Each node of the front gives its neighbours that were not reached a distance, and marks them. */
extern "C" __global__ void spread(node *nodes, int *edges, bool *front, bool *next, bool *reached, int *distance, int n)
{
	int i = blockIdx.x * 512 + threadIdx.x;

	if (i < n && front[i]) {
		front[i] = false;
		for (int k = nodes[i].first; k < nodes[i].edges + nodes[i].first; k++) {
			int to = edges[k];

			if (!reached[to]) {
				distance[to] = distance[i] + 1;
				next[to] = true;
			}
		}
	}
}

/* What was marked is the next front. */
extern "C" __global__ void advance(bool *front, bool *next, bool *reached, bool *more, int n)
{
	int i = blockIdx.x * 512 + threadIdx.x;

	if (i < n && next[i]) {
		front[i] = true;
		reached[i] = true;
		*more = true;
		next[i] = false;
	}
}
