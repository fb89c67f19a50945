// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.xbean.asm9.commons.{GeneratorAdapter, Method}
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, ClassWriter, MethodVisitor, Opcodes, Type}

/**
 * Puts calls to [[org.apache.spark.sql.delta.CollationsBridge]] into the bytes of a Delta class.
 *
 * Only method bodies change, and without new locals or branches: so the same bytes serve for a class
 * that is not loaded yet and for one that is, and the verifier needs no new stack maps.
 */
private[delta] object ClassRewriter {

  /** New bytes, and the hooks that found their method. */
  final case class Rewritten(bytes: Array[Byte], applied: Set[Hook])

  def rewrite(bytes: Array[Byte], hooks: Seq[Hook]): Rewritten = {
    val reader = new ClassReader(bytes)
    val writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS)
    val visitor = new HookedClass(writer, hooks)
    reader.accept(visitor, ClassReader.EXPAND_FRAMES)
    Rewritten(writer.toByteArray, visitor.applied)
  }

  private val bridge = Type.getObjectType("org/apache/spark/sql/delta/CollationsBridge")

  private val bridgeCall = {
    val any = Type.getType(classOf[Object])
    val arguments =
      Array(any, any, Type.getType(classOf[Array[Object]]), Type.getType("Ljava/lang/String;"))
    new Method("apply", any, arguments)
  }

  final private class HookedClass(next: ClassVisitor, hooks: Seq[Hook])
      extends ClassVisitor(Opcodes.ASM9, next) {

    var applied: Set[Hook] = Set.empty

    override def visitMethod(
        access: Int,
        name: String,
        descriptor: String,
        signature: String,
        exceptions: Array[String]
    ): MethodVisitor = {
      val method = super.visitMethod(access, name, descriptor, signature, exceptions)
      val hasOwnBody = (access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_ABSTRACT)) == 0
      val wanted = hooks.filter(hook => hasOwnBody && isNamed(hook.method, name))
      applied ++= wanted
      // Each lies around the ones before it: arguments pass them in the order of the table.
      wanted.foldLeft(method)(new HookedMethod(_, access, name, descriptor, _))
    }

    /** Scala puts the class in front of the name of a private method that another class calls. */
    private def isNamed(wanted: String, found: String): Boolean =
      found == wanted || found.endsWith("$$" + wanted)
  }

  final private class HookedMethod(
      next: MethodVisitor,
      access: Int,
      name: String,
      descriptor: String,
      hook: Hook
  ) extends GeneratorAdapter(Opcodes.ASM9, next, access, name, descriptor) {

    private val isStatic = (access & Opcodes.ACC_STATIC) != 0

    override def visitCode(): Unit = {
      super.visitCode()
      hook.shape match {
        case HookShape.ReplaceArgument(index) =>
          loadArg(index)
          askBridge(getArgumentTypes()(index))
          storeArg(index)
        case HookShape.FilterResult => ()
      }
    }

    override def visitInsn(opcode: Int): Unit = {
      if (opcode == Opcodes.ARETURN && hook.shape == HookShape.FilterResult)
        askBridge(getReturnType)
      super.visitInsn(opcode)
    }

    /** Replaces the value on top of the stack by the hook's answer, checked to be of `wanted`. */
    private def askBridge(wanted: Type): Unit = {
      if (isStatic) push(null: String) else loadThis()
      loadArgArray()
      push(hook.name)
      invokeStatic(bridge, bridgeCall)
      checkCast(wanted)
    }
  }
}
